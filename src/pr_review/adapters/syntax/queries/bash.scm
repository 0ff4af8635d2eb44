; definitions and imports
(function_definition name: (word) @name body: (_) @body) @function
(program (variable_assignment name: (variable_name) @name) @value)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @value)

(command name: (command_name (word) @does) . argument: (word) @module
  (#any-of? @does "." "source") (#set! alias "none"))
(command name: (command_name (word) @does) . argument: (string . (string_content) @module .)
  (#any-of? @does "." "source") (#set! alias "none"))
(command name: (command_name (word) @does) . argument: (string (_) . (string_content) @module .)
  (#any-of? @does "." "source") (#set! prefix ".") (#set! alias "none"))

; uses
((variable_name) @not (#match? @not "^[0-9]"))
(command_name (word) @call)
(simple_expansion (variable_name) @ref)
(expansion (variable_name) @ref)

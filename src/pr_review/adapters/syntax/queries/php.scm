; definitions and imports
(class_declaration name: (_) @name body: (_) @body) @type
(interface_declaration name: (_) @name body: (_) @body) @type
(trait_declaration name: (_) @name body: (_) @body) @type
(enum_declaration name: (_) @name body: (_) @body) @type
(function_definition name: (_) @name body: (_) @body) @function
(method_declaration name: (_) @name parameters: (_) @head return_type: (_)? @head body: (_)? @body) @function
(assignment_expression left: (variable_name (name) @name) right: (anonymous_function body: (_) @body)) @function
(assignment_expression left: (variable_name (name) @name) right: (arrow_function "=>" @head)) @function
(property_declaration (property_element name: (variable_name (name) @name))) @value
(const_declaration (const_element . (name) @name)) @value
(enum_case name: (_) @name) @value
(function_call_expression function: (name) @does
  arguments: (arguments . (argument (string (string_content) @name))) (#eq? @does "define")) @value

(namespace_use_declaration) @path
(require_expression (string (string_content) @module) (#set! alias "none"))
(require_once_expression (string (string_content) @module) (#set! alias "none"))
(include_expression (string (string_content) @module) (#set! alias "none"))
(include_once_expression (string (string_content) @module) (#set! alias "none"))
(require_expression (binary_expression left: (name) right: (string (string_content) @module))
  (#set! prefix ".") (#set! alias "none"))
(require_once_expression (binary_expression left: (name) right: (string (string_content) @module))
  (#set! prefix ".") (#set! alias "none"))
(include_expression (binary_expression left: (name) right: (string (string_content) @module))
  (#set! prefix ".") (#set! alias "none"))
(include_once_expression (binary_expression left: (name) right: (string (string_content) @module))
  (#set! prefix ".") (#set! alias "none"))

; uses
(namespace_definition name: (_) @not)
(namespace_use_declaration) @not
(class_declaration name: (_) @not)
(interface_declaration name: (_) @not)
(trait_declaration name: (_) @not)
(enum_declaration name: (_) @not)
(function_definition name: (_) @not)
(method_declaration name: (_) @not)
(const_element . (name) @not)
(enum_case name: (_) @not)
(argument name: (_) @not)
(variable_name) @not

(function_call_expression function: (name) @call)
(function_call_expression function: (qualified_name prefix: (_) @qualifier (name) @call))
(member_call_expression object: (_) @qualifier name: (name) @call)
(nullsafe_member_call_expression object: (_) @qualifier name: (name) @call)
(scoped_call_expression scope: (_) @qualifier name: (name) @call)
(object_creation_expression (name) @call)
(object_creation_expression (qualified_name prefix: (_) @qualifier (name) @call))
(member_access_expression object: (_) @qualifier name: (name) @ref)
(nullsafe_member_access_expression object: (_) @qualifier name: (name) @ref)
(class_constant_access_expression . (_) @qualifier (name) @ref .)
(qualified_name prefix: (_) @qualifier (name) @ref)
(name) @ref

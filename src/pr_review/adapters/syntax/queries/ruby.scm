; definitions and imports
(class name: [(constant) @name (scope_resolution name: (_) @name)] superclass: (_)? @head) @type
(module name: [(constant) @name (scope_resolution name: (_) @name)]) @type
(singleton_class value: (_) @name) @type
(method name: (_) @name parameters: (_)? @head) @function
(singleton_method name: (_) @name parameters: (_)? @head) @function
(assignment left: [(constant) (identifier)] @name right: (lambda body: (_) @body)) @function
(assignment left: (constant) @name right: (call block: (_) @body)) @type
(assignment left: (constant) @name) @value
(call method: (identifier) @does arguments: (argument_list . (simple_symbol) @name) block: (_) @body
  (#eq? @does "define_method")) @function
(call method: (identifier) arguments: (argument_list . (simple_symbol) @name . (lambda body: (_) @body) .)) @function

(call !receiver method: (identifier) @does arguments: (argument_list . (string (string_content) @module) .)
  (#any-of? @does "require" "load") (#set! alias "none"))
(call !receiver method: (identifier) @does arguments: (argument_list . (string (string_content) @module) .)
  (#eq? @does "require_relative") (#set! prefix "./") (#set! alias "none"))
(call !receiver method: (identifier) @does
  arguments: (argument_list . (simple_symbol) @taken . (string (string_content) @module) .)
  (#eq? @does "autoload"))

; uses
((call !receiver method: (identifier) @does) @not
  (#any-of? @does "require" "require_relative" "autoload"))
(class name: [(constant) @not (scope_resolution name: (_) @not)])
(module name: [(constant) @not (scope_resolution name: (_) @not)])
(method name: (_) @not)
(singleton_method name: (_) @not)
(method_parameters (identifier) @not)
(block_parameters (identifier) @not)
(lambda_parameters (identifier) @not)
(optional_parameter name: (_) @not)
(keyword_parameter name: (_) @not)
(splat_parameter name: (_) @not)
(hash_splat_parameter name: (_) @not)
(block_parameter name: (_) @not)
(assignment left: [(identifier) (constant)] @not)
(left_assignment_list (identifier) @not)
(exception_variable (identifier) @not)
(for pattern: (identifier) @not)

(call !receiver method: [(identifier) (constant)] @call)
(call receiver: (_) @qualifier method: [(identifier) (constant)] @call)
(scope_resolution scope: (_) @qualifier name: (_) @ref)
(constant) @ref
(identifier) @ref

; definitions and imports
(class_declaration name: (_) @name [(class_body) (enum_class_body)]? @body) @type
(object_declaration name: (_) @name (class_body)? @body) @type
(companion_object name: (_) @name (class_body) @body) @type
(companion_object !name (class_body) @body (#set! name "Companion")) @type
(type_alias type: (identifier) @name) @type
(function_declaration name: (_) @name (function_value_parameters) @head (function_body)? @body) @function
(secondary_constructor "constructor" @name (block)? @body) @function
(property_declaration (variable_declaration . (identifier) @name) [
  (lambda_literal) @body
  (anonymous_function (function_body) @body)]) @function
(source_file (property_declaration (variable_declaration . (identifier) @name)) @value)
(class_body (property_declaration (variable_declaration . (identifier) @name)) @value)
(enum_entry . (identifier) @name) @value

(import) @path

; uses
(package_header) @not
(import) @not
(class_declaration name: (_) @not)
(object_declaration name: (_) @not)
(companion_object name: (_) @not)
(type_alias type: (identifier) @not)
(function_declaration name: (_) @not)
(class_parameter (identifier) @not . ":")
(parameter (identifier) @not . ":")
(variable_declaration . (identifier) @not)
(type_parameter (identifier) @not)
(catch_block . (identifier) @not)
(enum_entry . (identifier) @not)
(value_argument . (identifier) @not . "=")
(label) @not

(call_expression . (identifier) @call)
(call_expression . (navigation_expression . (_) @qualifier (identifier) @call .))
(constructor_invocation (user_type (identifier) @call .))
(navigation_expression . (_) @qualifier (identifier) @ref .)
(identifier) @ref

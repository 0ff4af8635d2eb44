; definitions and imports
(class_declaration name: [(type_identifier) @name (user_type (type_identifier) @name .)] body: (_) @body) @type
(protocol_declaration name: (_) @name body: (_) @body) @type
(typealias_declaration name: (type_identifier) @name) @type
(function_declaration name: (simple_identifier) @name (function_body) @body) @function
(protocol_function_declaration name: (simple_identifier) @name) @function
(init_declaration "init" @name body: (_) @body) @function
(deinit_declaration "deinit" @name body: (_) @body) @function
(subscript_declaration "subscript" @name) @function
(property_declaration name: (pattern bound_identifier: (_) @name) computed_value: (_) @body) @function
(property_declaration name: (pattern bound_identifier: (_) @name) value: (lambda_literal) @body) @function
(source_file (property_declaration name: (pattern bound_identifier: (_) @name)) @value)
(class_body (property_declaration name: (pattern bound_identifier: (_) @name)) @value)
(enum_entry name: (simple_identifier) @name) @value

(import_declaration (identifier) @module (#set! alias "module"))

; uses
(import_declaration) @not
(class_declaration name: (type_identifier) @not)
(protocol_declaration name: (_) @not)
(typealias_declaration name: (type_identifier) @not)
(function_declaration "func" . (simple_identifier) @not)
(protocol_function_declaration name: (simple_identifier) @not)
(parameter external_name: (_) @not)
(parameter name: (simple_identifier) @not)
(lambda_parameter name: (simple_identifier) @not)
(type_parameter . (type_identifier) @not)
(pattern bound_identifier: (_) @not)
(guard_statement bound_identifier: (_) @not)
(if_statement bound_identifier: (_) @not)
(enum_entry name: (simple_identifier) @not)
(value_argument_label) @not

(call_expression . (simple_identifier) @call)
(call_expression . (navigation_expression
  target: (_) @qualifier suffix: (navigation_suffix suffix: (simple_identifier) @call)))
(navigation_expression target: (_) @qualifier suffix: (navigation_suffix suffix: (simple_identifier) @ref))
(type_identifier) @ref
(simple_identifier) @ref

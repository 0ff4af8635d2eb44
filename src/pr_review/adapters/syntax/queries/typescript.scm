; definitions and imports
(decorator) @lead
(comment) @between
(enum_body (enum_assignment name: (_) @name) @value)
(enum_body name: (_) @name @value)
(export_statement (abstract_class_declaration name: (_) @name body: (_) @body)) @type
(export_statement (interface_declaration name: (_) @name body: (_) @body)) @type
(export_statement (type_alias_declaration name: (_) @name)) @type
(export_statement (enum_declaration name: (_) @name body: (_) @body)) @type
(export_statement (internal_module name: (_) @name body: (_) @body)) @type
(export_statement (function_signature name: (_) @name parameters: (_) @head return_type: (_)? @head)) @function
(abstract_class_declaration name: (_) @name body: (_) @body) @type
(interface_declaration name: (_) @name body: (_) @body) @type
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name body: (_) @body) @type
(internal_module name: (_) @name body: (_) @body) @type
(module name: (_) @name body: (_) @body) @type
(function_signature name: (_) @name parameters: (_) @head return_type: (_)? @head) @function
(abstract_method_signature name: (_) @name parameters: (_) @head return_type: (_)? @head) @function
(method_signature name: (_) @name parameters: (_) @head return_type: (_)? @head) @function
(public_field_definition name: (_) @name
  value: [(arrow_function "=>" @head) (function_expression body: (_) @body)]) @function
(class_body (public_field_definition name: (_) @name) @value)
(import_require_clause (identifier) @alias source: (string (string_fragment) @module))

; uses
(required_parameter pattern: [(identifier) (array_pattern) (rest_pattern)] @not)
(optional_parameter pattern: [(identifier) (array_pattern)] @not)
(abstract_class_declaration name: (_) @not)
(interface_declaration name: (_) @not)
(type_alias_declaration name: (_) @not)
(enum_declaration name: (_) @not)
(internal_module name: (_) @not)
(function_signature name: (_) @not)
(type_parameter name: (_) @not)
; the grammar reads `await f<T>()` as a call of `await f`
(call_expression function: (await_expression (identifier) @call))
(call_expression function: (await_expression (member_expression object: (_) @qualifier property: (_) @call)))
(nested_type_identifier module: (_) @qualifier name: (_) @ref)
(type_identifier) @ref

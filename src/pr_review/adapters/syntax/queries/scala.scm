; definitions and imports
(class_definition name: (_) @name class_parameters: (_)* @head extend: (_)? @head) @type
(trait_definition name: (_) @name extend: (_)? @head) @type
(object_definition name: (_) @name extend: (_)? @head) @type
(package_object name: (_) @name extend: (_)? @head) @type
(enum_definition name: (_) @name class_parameters: (_)* @head extend: (_)? @head) @type
(type_definition name: (_) @name) @type
(function_definition name: (_) @name parameters: (_)* @head return_type: (_)? @head) @function
(function_declaration name: (_) @name parameters: (_)* @head return_type: (_)? @head) @function
(val_definition pattern: (identifier) @name value: (lambda_expression)) @function
(given_definition name: (_) @name) @value
(compilation_unit [(val_definition pattern: (identifier) @name) (var_definition pattern: (identifier) @name)] @value)
(template_body [(val_definition pattern: (identifier) @name) (var_definition pattern: (identifier) @name)] @value)
(simple_enum_case name: (_) @name) @value
(full_enum_case name: (_) @name) @value

(import_declaration) @path

; uses
(package_clause) @not
(import_declaration) @not
(class_definition name: (_) @not)
(trait_definition name: (_) @not)
(object_definition name: (_) @not)
(enum_definition name: (_) @not)
(type_definition name: (_) @not)
(function_definition name: (_) @not)
(function_declaration name: (_) @not)
(given_definition name: (_) @not)
(val_definition pattern: (identifier) @not)
(var_definition pattern: (identifier) @not)
(simple_enum_case name: (_) @not)
(full_enum_case name: (_) @not)
(class_parameter name: (_) @not)
(parameter name: (_) @not)
(binding name: (_) @not)
(type_parameters name: (_) @not)
(lambda_expression parameters: (identifier) @not)
(enumerator . (identifier) @not)
(typed_pattern pattern: (_) @not)
(case_class_pattern (identifier) @not)

(call_expression function: (identifier) @call)
(call_expression function: (field_expression value: (_) @qualifier field: (identifier) @call))
(call_expression function: (generic_function function: (identifier) @call))
(call_expression function: (generic_function
  function: (field_expression value: (_) @qualifier field: (identifier) @call)))
(instance_expression (type_identifier) @call)
(instance_expression (generic_type . (type_identifier) @call))
(infix_expression operator: (identifier) @call)
(field_expression value: (_) @qualifier field: (identifier) @ref)
(stable_type_identifier . (_) @qualifier (type_identifier) @ref .)
(type_identifier) @ref
(identifier) @ref

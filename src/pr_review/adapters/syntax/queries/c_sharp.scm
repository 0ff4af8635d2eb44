; definitions and imports
(class_declaration name: (_) @name body: (_) @body) @type
(interface_declaration name: (_) @name body: (_) @body) @type
(struct_declaration name: (_) @name body: (_) @body) @type
(record_declaration name: (_) @name body: (_)? @body) @type
(enum_declaration name: (_) @name body: (_) @body) @type
(delegate_declaration name: (_) @name) @type
(namespace_declaration name: (_) @name body: (_) @body) @type
(method_declaration name: (_) @name parameters: (_) @head body: (_)? @body) @function
(constructor_declaration name: (_) @name parameters: (_) @head body: (_)? @body) @function
(destructor_declaration name: (_) @name body: (_) @body) @function
(local_function_statement name: (_) @name parameters: (_) @head body: (_)? @body) @function
(operator_declaration operator: _ @name parameters: (_) @head body: (_)? @body) @function
(property_declaration name: (_) @name
  accessors: (accessor_list (accessor_declaration body: (_))) @body) @function
(property_declaration name: (_) @name value: (arrow_expression_clause) @body) @function
(property_declaration name: (_) @name) @value
(variable_declarator name: (_) @name (lambda_expression "=>" @head)) @function
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @value
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @value
(enum_member_declaration name: (_) @name) @value

(using_directive name: (_) @alias (_) @module)
(using_directive !name [(identifier) (qualified_name)] @module (#set! name "*"))

; uses
(using_directive) @not
(file_scoped_namespace_declaration) @not
(namespace_declaration name: (_) @not)
(class_declaration name: (_) @not)
(interface_declaration name: (_) @not)
(struct_declaration name: (_) @not)
(record_declaration name: (_) @not)
(enum_declaration name: (_) @not)
(delegate_declaration name: (_) @not)
(method_declaration name: (_) @not)
(constructor_declaration name: (_) @not)
(local_function_statement name: (_) @not)
(property_declaration name: (_) @not)
(variable_declarator name: (_) @not)
(enum_member_declaration name: (_) @not)
(parameter name: (_) @not)
(type_parameter name: (_) @not)
(catch_declaration name: (_) @not)
(foreach_statement left: (identifier) @not)
(declaration_pattern name: (_) @not)
(initializer_expression (assignment_expression left: (identifier) @not))
(argument name: (_) @not)
(implicit_parameter) @not

(invocation_expression function: (identifier) @call)
(invocation_expression function: (generic_name . (identifier) @call))
(invocation_expression function: (member_access_expression
  expression: (_) @qualifier name: [(identifier) @call (generic_name . (identifier) @call)]))
(invocation_expression function: (conditional_access_expression
  condition: (_) @qualifier (member_binding_expression name: [
    (identifier) @call (generic_name . (identifier) @call)])))
(object_creation_expression type: [(identifier) @call (generic_name . (identifier) @call)])
(object_creation_expression type: (qualified_name qualifier: (_) @qualifier name: (identifier) @call))
(member_access_expression expression: (_) @qualifier name: (identifier) @ref)
(qualified_name qualifier: (_) @qualifier name: (identifier) @ref)
(identifier) @ref

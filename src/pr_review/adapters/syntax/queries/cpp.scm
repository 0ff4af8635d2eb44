; definitions and imports
(template_declaration (function_definition
  declarator: (function_declarator declarator: (_) @name) body: (_) @body)) @function
(template_declaration (class_specifier name: (_) @name body: (_) @body)) @type
(template_declaration (struct_specifier name: (_) @name body: (_) @body)) @type
(template_declaration (alias_declaration name: (_) @name)) @type
(function_definition declarator: (function_declarator declarator: [
  (field_identifier) @name (destructor_name) @name (operator_name) @name
  (qualified_identifier name: [(identifier) (operator_name) (destructor_name)] @name)
  (qualified_identifier name: (qualified_identifier name: (_) @name))
  (template_function name: (_) @name)]) body: (_) @body) @function
(function_definition declarator: (_ (function_declarator declarator: [
  (identifier) @name (field_identifier) @name (operator_name) @name
  (qualified_identifier name: [(identifier) (operator_name)] @name)])) body: (_) @body) @function
(function_definition declarator: (operator_cast type: (_) @name) body: (_) @body) @function
(class_specifier name: (_) @name body: (_) @body) @type
(namespace_definition name: (_) @name body: (_) @body) @type
(alias_declaration name: (_) @name) @type
(concept_definition name: (_) @name) @type
(declaration declarator: (init_declarator declarator: (identifier) @name
  value: (lambda_expression body: (_) @body))) @function
(field_declaration_list (field_declaration declarator: (field_identifier) @name default_value: (_)) @value)
(declaration_list (declaration declarator: (init_declarator declarator: (identifier) @name)) @value)

(using_declaration "namespace" [(identifier) (qualified_identifier)] @module (#set! name "*"))
((using_declaration (qualified_identifier)) @path (#not-match? @path "^using\\s+namespace\\s"))

; uses
(using_declaration) @not
(class_specifier name: (_) @not body: (_))
(namespace_definition name: (_) @not)
(alias_declaration name: (_) @not)
(concept_definition name: (_) @not)
(type_parameter_declaration (type_identifier) @not)
(function_declarator declarator: [(destructor_name) (operator_name)] @not)
(function_declarator declarator: (qualified_identifier name: (_) @not))
(reference_declarator (identifier) @not)
(field_initializer (field_identifier) @not)
(for_range_loop declarator: (identifier) @not)

(call_expression function: (qualified_identifier scope: (_) @qualifier
  name: [(identifier) @call (template_function name: (_) @call)]))
(call_expression function: (qualified_identifier name: (qualified_identifier scope: (_) @qualifier
  name: [(identifier) @call (template_function name: (_) @call)])))
(call_expression function: (qualified_identifier name: (qualified_identifier
  name: (qualified_identifier scope: (_) @qualifier
    name: [(identifier) @call (template_function name: (_) @call)]))))
(call_expression function: (template_function name: (identifier) @call))
(call_expression function: (field_expression argument: (_) @qualifier
  field: (template_method name: (_) @call)))
(new_expression type: (type_identifier) @call)
(new_expression type: (qualified_identifier scope: (_) @qualifier name: (type_identifier) @call))
(qualified_identifier scope: (_) @qualifier name: [(identifier) (type_identifier)] @ref)
(qualified_identifier scope: (_) @qualifier name: (template_type name: (_) @ref))
(namespace_identifier) @ref

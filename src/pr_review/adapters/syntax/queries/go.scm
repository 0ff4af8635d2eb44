; definitions and imports
(function_declaration name: (_) @name parameters: (_) @head result: (_)? @head body: (_)? @body) @function
(method_declaration name: (_) @name parameters: (_) @head result: (_)? @head body: (_)? @body) @function
(method_elem name: (_) @name parameters: (_) @head result: (_)? @head) @function
(type_declaration . (type_spec name: (_) @name type: [
  (struct_type (field_declaration_list) @body) (interface_type "{" @head)]) . ) @type
(type_spec name: (_) @name type: [
  (struct_type (field_declaration_list) @body) (interface_type "{" @head)]) @type
(type_declaration . (type_spec name: (_) @name) . ) @type
(type_spec name: (_) @name) @type
(type_alias name: (_) @name) @type
(var_spec name: (_) @name value: (expression_list . (func_literal body: (_) @body) .)) @function
(short_var_declaration left: (expression_list . (identifier) @name .)
  right: (expression_list . (func_literal body: (_) @body) .)) @function

(source_file (const_declaration . (const_spec name: (identifier) @name) . ) @value)
(source_file (const_declaration (const_spec name: (identifier) @name) @value))
(source_file (var_declaration . (var_spec name: (identifier) @name) . ) @value)
(source_file (var_declaration (var_spec name: (identifier) @name) @value))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @value)))

(import_spec name: (package_identifier) @alias path: (_ (interpreted_string_literal_content) @module))
(import_spec name: (dot) path: (_ (interpreted_string_literal_content) @module) (#set! name "*"))
(import_spec name: (blank_identifier) path: (_ (interpreted_string_literal_content) @module))
(import_spec !name path: (_ (interpreted_string_literal_content) @module) (#set! alias "last"))

; uses
(package_clause) @not
(import_declaration) @not
(function_declaration name: (_) @not)
(method_declaration name: (_) @not)
(method_elem name: (_) @not)
(method_declaration receiver: (parameter_list (parameter_declaration name: (_) @not)))
(type_spec name: (_) @not)
(type_alias name: (_) @not)
(parameter_declaration name: (_) @not)
(variadic_parameter_declaration name: (_) @not)
(type_parameter_declaration name: (_) @not)
(field_declaration name: (_) @not)
(const_spec name: (_) @not)
(var_spec name: (_) @not)
(short_var_declaration left: (_) @not)
(range_clause left: (expression_list (identifier) @not))
(type_switch_statement alias: (_) @not)
(keyed_element key: (literal_element (identifier) @not))

(call_expression function: (identifier) @call)
(call_expression function: (selector_expression operand: (_) @qualifier field: (_) @call))
(call_expression function: (type_instantiation_expression type: (type_identifier) @call))
(call_expression function: (type_instantiation_expression
  type: (qualified_type package: (_) @qualifier name: (_) @call)))
(type_conversion_expression type: (generic_type type: (type_identifier) @call))
(type_conversion_expression type: (generic_type
  type: (qualified_type package: (_) @qualifier name: (_) @call)))
(selector_expression operand: (_) @qualifier field: (_) @ref)
(qualified_type package: (_) @qualifier name: (_) @ref)
(type_identifier) @ref
(identifier) @ref

; definitions and imports
(attribute_item) @lead
(line_comment) @between
(block_comment) @between
(function_item name: (_) @name body: (_) @body) @function
(function_signature_item name: (_) @name parameters: (_) @head return_type: (_)? @head) @function
(struct_item name: (_) @name (where_clause)? @head body: (field_declaration_list)? @body) @type
(enum_item name: (_) @name body: (_) @body) @type
(union_item name: (_) @name body: (_) @body) @type
(trait_item name: (_) @name body: (_) @body) @type
(mod_item name: (_) @name body: (_) @body) @type
(impl_item type: [
  (type_identifier) @name
  (scoped_type_identifier name: (_) @name)
  (generic_type type: (type_identifier) @name)
  (generic_type type: (scoped_type_identifier name: (_) @name))] body: (_) @body) @type
(impl_item type: [(reference_type) (tuple_type) (array_type) (primitive_type) (dynamic_type) (pointer_type)] @name
  body: (_) @body) @type
(type_item name: (_) @name) @type
(associated_type name: (_) @name) @type
(macro_definition name: (_) @name) @function
(let_declaration pattern: (identifier) @name value: (closure_expression body: (_) @body)) @function

(source_file [(const_item name: (_) @name) (static_item name: (_) @name)] @value)
(declaration_list [(const_item name: (_) @name) (static_item name: (_) @name)] @value)
(enum_variant name: (_) @name) @value

(use_declaration argument: (_) @path)
(mod_item name: (_) @module !body (#set! prefix "self::") (#set! alias "last"))
(extern_crate_declaration name: (_) @module alias: (_) @alias)
(extern_crate_declaration name: (_) @module !alias (#set! alias "module"))

; uses
(use_declaration) @not
(extern_crate_declaration) @not
(mod_item name: (_) @not)
(function_item name: (_) @not)
(function_signature_item name: (_) @not)
(struct_item name: (_) @not)
(enum_item name: (_) @not)
(union_item name: (_) @not)
(trait_item name: (_) @not)
(type_item name: (_) @not)
(associated_type name: (_) @not)
(const_item name: (_) @not)
(static_item name: (_) @not)
(macro_definition) @not
(enum_variant name: (_) @not)
(type_parameter name: (_) @not)
(parameter pattern: (identifier) @not)
(parameter pattern: (tuple_pattern (identifier) @not))
(closure_parameters (identifier) @not)
(let_declaration pattern: [(identifier) (tuple_pattern)] @not)
(for_expression pattern: [(identifier) (tuple_pattern)] @not)
(tuple_struct_pattern type: (_) (identifier) @not)
(captured_pattern . (identifier) @not)
(mut_pattern (identifier) @not)
(ref_pattern (identifier) @not)
(label) @not

(call_expression function: (identifier) @call)
(call_expression function: (scoped_identifier path: (_) @qualifier name: (_) @call))
(call_expression function: (field_expression value: (_) @qualifier field: (field_identifier) @call))
(call_expression function: (generic_function function: (identifier) @call))
(call_expression function: (generic_function
  function: (scoped_identifier path: (_) @qualifier name: (_) @call)))
(call_expression function: (generic_function
  function: (field_expression value: (_) @qualifier field: (field_identifier) @call)))
(macro_invocation macro: (identifier) @call)
(macro_invocation macro: (scoped_identifier path: (_) @qualifier name: (_) @call))
(token_tree (identifier) @call . (token_tree . "("))
(scoped_identifier path: (_) @qualifier name: (_) @ref)
(scoped_type_identifier path: (_) @qualifier name: (_) @ref)
(field_expression value: (_) @qualifier field: (field_identifier) @ref)
(type_identifier) @ref
(identifier) @ref

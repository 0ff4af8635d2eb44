; definitions and imports
(class_declaration name: (_) @name body: (_) @body) @type
(interface_declaration name: (_) @name body: (_) @body) @type
(enum_declaration name: (_) @name body: (_) @body) @type
(record_declaration name: (_) @name body: (_) @body) @type
(annotation_type_declaration name: (_) @name body: (_) @body) @type
(method_declaration name: (_) @name parameters: (_) @head (throws)? @head body: (_)? @body) @function
(constructor_declaration name: (_) @name body: (_) @body) @function
(compact_constructor_declaration name: (_) @name body: (_) @body) @function
(annotation_type_element_declaration name: (_) @name) @function
(field_declaration declarator: (variable_declarator name: (_) @name)) @value
(constant_declaration declarator: (variable_declarator name: (_) @name)) @value
(enum_constant name: (_) @name body: (_)? @body) @value

(import_declaration (scoped_identifier scope: (_) @module name: (_) @taken) . ";")
(import_declaration (scoped_identifier) @module (asterisk) (#set! name "*"))

; uses
(package_declaration) @not
(import_declaration) @not
(class_declaration name: (_) @not)
(interface_declaration name: (_) @not)
(enum_declaration name: (_) @not)
(record_declaration name: (_) @not)
(annotation_type_declaration name: (_) @not)
(method_declaration name: (_) @not)
(constructor_declaration name: (_) @not)
(compact_constructor_declaration name: (_) @not)
(annotation_type_element_declaration name: (_) @not)
(enum_constant name: (_) @not)
(variable_declarator name: (_) @not)
(formal_parameter name: (_) @not)
(catch_formal_parameter name: (_) @not)
(resource name: (_) @not)
(enhanced_for_statement name: (_) @not)
(instanceof_expression name: (_) @not)
(type_parameter . (type_identifier) @not)
(element_value_pair key: (_) @not)
(lambda_expression parameters: (identifier) @not)
(inferred_parameters (identifier) @not)
(labeled_statement . (identifier) @not)
(break_statement (identifier) @not)
(continue_statement (identifier) @not)

(method_invocation !object name: (_) @call)
(method_invocation object: (_) @qualifier name: (_) @call)
(object_creation_expression type: (type_identifier) @call)
(object_creation_expression type: (generic_type . (type_identifier) @call))
(object_creation_expression type: (scoped_type_identifier (_) @qualifier (type_identifier) @call .))
(method_reference . (_) @qualifier (identifier) @ref .)
(field_access object: (_) @qualifier field: (identifier) @ref)
(scoped_type_identifier (_) @qualifier (type_identifier) @ref .)
(scoped_identifier scope: (_) @qualifier name: (_) @ref)
(type_identifier) @ref
(identifier) @ref

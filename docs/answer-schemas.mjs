// What the operator API answers, as JSON Schema: made from the types that its rows name (`returns<Order>()`). Packages that do this
// read how a type is written, and most answers are worked out by the compiler, so the compiler is asked; TypeScript 7 has no API.
import { fileURLToPath } from 'node:url'
import ts from '@typescript/typescript6'

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url))

/** The options that decide what a type is; the same as in tsconfig.json. */
const OPTIONS = {
  ...{ target: ts.ScriptTarget.ES2023, lib: ['lib.es2023.d.ts'], types: [] },
  ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, allowImportingTsExtensions: true },
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true, skipLibCheck: true },
}

/** The numbers that have fractions, by the name of their member. All others are integers. */
const FRACTIONS = new Set(['probability', 'took_ms'])

/**
 * The schema of each operation that answers JSON, and those of the types that they have in common, by the name of the type.
 *
 * @returns {{ answers: Record<string, object>, schemas: Record<string, object> }}
 * @throws Error for a type that has no schema: a function, `any`.
 */
export function answerSchemas() {
  const program = ts.createProgram([`${SOURCES}operator-api/operations.ts`], OPTIONS)
  const checker = program.getTypeChecker()
  const schemas = schemasOf(checker, namedTypes(program, checker))
  const answers = answerTypes(program, checker).map(([id, type]) => [id, schemas.of(type)])
  return { answers: sorted(answers), schemas: sorted(schemas.found) }
}

/** As a file: each schema on a line of its own, so that a change of one type is a change of one line. */
export function answerSchemasText() {
  const parts = Object.entries(answerSchemas()).map(([name, schemas]) => {
    const lines = Object.entries(schemas).map(([id, schema]) => `${JSON.stringify(id)}: ${JSON.stringify(schema)}`)
    return `${JSON.stringify(name)}: {\n${lines.join(',\n')}\n}`
  })
  return `{\n${parts.join(',\n')}\n}\n`
}

/** The order in which a compiler meets types is not stable. */
function sorted(entries) {
  return Object.fromEntries([...entries].sort(([one], [other]) => alphabetical(one, other)))
}

const alphabetical = (one, other) => (one < other ? -1 : 1)

/** The answer of each operation: the last argument of the type of its row. */
function answerTypes(program, checker) {
  const file = program.getSourceFile(`${SOURCES}operator-api/operations.ts`)
  const rows = checker.getExportsOfModule(checker.getSymbolAtLocation(file)).find(({ name }) => name === 'OPERATIONS')
  return checker
    .getPropertiesOfType(checker.getTypeOfSymbol(rows))
    .map((row) => [row.name, checker.getTypeArguments(checker.getTypeOfSymbol(row))[3]])
    .filter(([, answer]) => !(answer.flags & ts.TypeFlags.Void))
}

/**
 * The names of objects, unions and enumerations that are declared without parameters. Of two names for one type, that of the
 * operator API is taken.
 *
 * @returns {Map<object, ts.Symbol>}
 */
function namedTypes(program, checker) {
  const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(SOURCES))
  const isOurs = ({ fileName }) => fileName.startsWith(`${SOURCES}operator-api/`)
  const named = new Map()
  for (const file of [...files.filter(isOurs), ...files.filter((file) => !isOurs(file))])
    for (const statement of file.statements) {
      if (!ts.isTypeAliasDeclaration(statement) && !ts.isInterfaceDeclaration(statement)) continue
      const symbol = checker.getSymbolAtLocation(statement.name)
      const type = statement.typeParameters ? undefined : checker.getDeclaredTypeOfSymbol(symbol)
      const isCompound = type?.flags & (ts.TypeFlags.Object | ts.TypeFlags.UnionOrIntersection)
      if (isCompound && !named.has(type)) named.set(type, symbol)
    }
  return named
}

function isBoolean({ flags }) {
  return (flags & ts.TypeFlags.BooleanLiteral) !== 0
}

function schemasOf(checker, named) {
  const found = new Map()
  const types = new Map()

  /** @param member name of the member whose value it is. */
  function schemaOf(type, member) {
    const symbol = named.get(type) ?? type.aliasSymbol ?? type.symbol
    const name = nameOf(type, symbol)
    if (name === null) return shapeOf(type, member)
    if (!types.has(name)) {
      // The name is there before its shape, which may refer to it.
      types.set(name, type)
      found.set(name, { ...describing(symbol), ...shapeOf(type) })
    }
    if (types.get(name) !== type) throw new Error(`two types of answers would be called ${name}`)
    return { $ref: `#/components/schemas/${name}` }
  }

  /** The name of a generic type begins with its first argument: `OrdersPage`. Null for a type that is written where it is used. */
  function nameOf(type, symbol) {
    if (named.has(type)) return symbol.name
    const args = type.aliasSymbol ? type.aliasTypeArguments : checker.getTypeArguments(type)
    const isDeclaredHere = symbol?.declarations?.some((one) => one.getSourceFile().fileName.startsWith(SOURCES))
    if (!isDeclaredHere || !args?.length) return null
    const [first] = args
    const beginning = first.isStringLiteral() ? capitalized(first.value) : named.get(first)?.name
    return beginning === undefined ? null : beginning + symbol.name
  }

  function shapeOf(type, member) {
    const { flags } = type
    if (flags & ts.TypeFlags.Unknown) return {}
    if (flags & ts.TypeFlags.Null) return { type: 'null' }
    if (flags & ts.TypeFlags.Boolean) return { type: 'boolean' }
    if (type.isUnion()) return unionOf(type, member)
    if (type.isLiteral()) return { type: type.isStringLiteral() ? 'string' : 'integer', const: type.value }
    if (isBoolean(type)) return { type: 'boolean', const: type.intrinsicName === 'true' }
    if (flags & ts.TypeFlags.String) return { type: 'string' }
    if (flags & ts.TypeFlags.Number) return { type: FRACTIONS.has(member) ? 'number' : 'integer' }
    if (flags & ts.TypeFlags.NonPrimitive) return { type: 'object', additionalProperties: true }
    if (checker.isTupleType(type)) return tupleOf(checker.getTypeArguments(type))
    if (checker.isArrayType(type)) return { type: 'array', items: schemaOf(checker.getTypeArguments(type)[0], member) }
    if (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return objectOf(type)
    throw new Error(`${member ?? 'an answer'}: ${checker.typeToString(type)} has no schema`)
  }

  function unionOf(type, member) {
    const has = (flag) => type.types.some(({ flags }) => flags & flag)
    if (has(ts.TypeFlags.Null | ts.TypeFlags.Undefined)) {
      const schema = schemaOf(checker.getNonNullableType(type), member)
      return has(ts.TypeFlags.Null) ? nullable(schema) : schema
    }
    // `boolean` in a union is its two values.
    const schemas = type.types.map((one) => (isBoolean(one) ? { type: 'boolean' } : schemaOf(one, member)))
    return unionOfSchemas(schemas)
  }

  function tupleOf(types) {
    const items = unionOfSchemas(types.map((type) => schemaOf(type)))
    return { type: 'array', items, minItems: types.length, maxItems: types.length }
  }

  function objectOf(type) {
    if (type.getCallSignatures().length > 0) throw new Error(`${checker.typeToString(type)} is a function`)
    const members = membersOf(type)
    const isOptional = ({ flags }) => (flags & ts.SymbolFlags.Optional) !== 0
    const required = members.filter((member) => !isOptional(member)).map(({ name }) => name)
    const properties = members.map((member) => {
      const schema = schemaOf(checker.getTypeOfSymbol(member), member.name)
      return [member.name, { ...describing(member), ...schema }]
    })
    const index = checker.getIndexInfosOfType(type)[0]
    return {
      type: 'object',
      ...(required.length > 0 && { required }),
      ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
      additionalProperties: index ? openness(schemaOf(index.type)) : false,
    }
  }

  /** In the order of their declaration; those of a mapped type, which has no stable one, by name. */
  function membersOf(type) {
    if (type.isIntersection()) {
      const names = new Set(type.types.flatMap(membersOf).map(({ name }) => name))
      return [...names].map((name) => checker.getPropertyOfType(type, name))
    }
    const members = checker.getPropertiesOfType(type)
    const isMapped = type.objectFlags & ts.ObjectFlags.Mapped
    return isMapped ? [...members].sort((one, other) => alphabetical(one.name, other.name)) : members
  }

  function describing(symbol) {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(checker)).replaceAll(/\s+/g, ' ')
    return text === '' ? {} : { description: text }
  }

  return { found, of: schemaOf }
}

function openness(schema) {
  return Object.keys(schema).length === 0 ? true : schema
}

/** Any of some schemas, each once and in a stable order: those of single values become one list of values. */
function unionOfSchemas(schemas) {
  const values = (type) => schemas.filter((schema) => schema.type === type && 'const' in schema).map((schema) => schema.const)
  const enumerations = [
    ['string', values('string').sort()],
    ['integer', values('integer').sort((one, other) => one - other)],
  ].flatMap(([type, list]) => (list.length > 0 ? [{ type, enum: list }] : []))
  const others = schemas.filter((schema) => !('const' in schema)).map((schema) => JSON.stringify(schema))
  const all = [...enumerations, ...[...new Set(others)].sort().map((text) => JSON.parse(text))]
  return all.length === 1 ? all[0] : { anyOf: all }
}

function nullable(schema) {
  if (typeof schema.type !== 'string' || 'const' in schema) return { anyOf: [schema, { type: 'null' }] }
  return { ...schema, type: [schema.type, 'null'], ...(schema.enum && { enum: [...schema.enum, null] }) }
}

/** @example capitalized('checkout_sessions') // 'CheckoutSessions' */
function capitalized(name) {
  return name.replaceAll(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase())
}

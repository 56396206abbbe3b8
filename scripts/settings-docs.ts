/**
 * Makes the tables of docs/using/settings.md from the schemas of the settings. Run it with the project's own Node:
 * `npm run with node scripts/settings-docs.ts`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { settingMeanings } from '../src/shared/settings/setting-meanings.ts'
import { defaultSettings, settingsPatch } from '../src/shared/settings/settings.ts'
import { fileSettings } from '../src/shared/settings/settings-files.ts'
import { code, markdownTable, withTable } from './markdown-table.ts'

export const PAGE = join(import.meta.dirname, '..', 'docs', 'using', 'settings.md')

/** The page with new tables. */
export const withTables = (page: string): string =>
  withTable(page, { name: 'settings', maker: 'scripts/settings-docs.ts', table: table() })

function table(): string {
  const defaults: Readonly<Record<string, unknown>> = defaultSettings
  const own = Object.entries(settingsPatch.shape).flatMap(([key, schema]) => {
    if (key in fileSettings) return []
    const meaning = Object.entries(settingMeanings).find(([name]) => name === key)?.[1] ?? ''
    return [[code(key), typeOf(schema), code(JSON.stringify(defaults[key])), 'managed, own', meaning]]
  })
  const shared = Object.entries(fileSettings).map(([key, { type, files, meaning }]) => [
    code(key),
    typeOf(type),
    key in defaults ? code(JSON.stringify(defaults[key])) : '',
    files.join(', '),
    meaning,
  ])
  return markdownTable([['key', 'type', 'default', 'files that count', 'meaning'], ...shared, ...own])
}

function typeOf(schema: z.ZodType): string {
  return typeText(jsonSchema.parse(z.toJSONSchema(schema, { io: 'input' })))
}

interface JsonType {
  readonly type?: string | undefined
  readonly enum?: readonly unknown[] | undefined
  readonly const?: unknown
  readonly anyOf?: readonly JsonType[] | undefined
  readonly oneOf?: readonly JsonType[] | undefined
  readonly items?: JsonType | undefined
}

const jsonSchema: z.ZodType<JsonType> = z.lazy(() =>
  z.object({
    type: z.string().optional(),
    enum: z.array(z.unknown()).optional(),
    const: z.unknown().optional(),
    anyOf: z.array(jsonSchema).optional(),
    oneOf: z.array(jsonSchema).optional(),
    items: jsonSchema.optional(),
  }),
)

function typeText(schema: JsonType): string {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map(typeText))].join(' or ')
  if (schema.enum) return schema.enum.map((one) => code(String(one))).join(', ')
  if (schema.const !== undefined) return code(String(schema.const))
  switch (schema.type) {
    case 'array':
      return `list of ${schema.items ? typeText(schema.items) : 'values'}`
    case 'string':
      return 'text'
    case 'integer':
      return 'whole number'
    case 'boolean':
      return 'true or false'
    case 'null':
      return '`null`'
    default:
      return schema.type ?? 'any'
  }
}

if (process.argv[1] === import.meta.filename) writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8')))

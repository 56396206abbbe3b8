/** The inputs of tools: told to the model as JSON Schema, and checked when a call comes. */
import { z } from 'zod'
import type { ToolSchema } from '../../../shared/agent-event.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { AnyTool } from '../tool.ts'

const schemas = new WeakMap<AnyTool['schema'], Record<string, unknown>>()

/** The tool as the model is told of it. */
export function toolSchemaOf(tool: Pick<AnyTool, 'name' | 'description' | 'schema'>): ToolSchema {
  const known = schemas.get(tool.schema)
  if (known) return { name: tool.name, description: tool.description, input_schema: known }
  const { $schema: _, ...made } = z.toJSONSchema(tool.schema, { io: 'input' }) as Record<string, unknown>
  schemas.set(tool.schema, made)
  return { name: tool.name, description: tool.description, input_schema: made }
}

/** The input, or a failure that names each wrong field, so that the model can mend its call. */
export function parseInput<Input>(
  tool: { readonly name: string; readonly schema: z.ZodType<Input> },
  raw: unknown,
): Result<Input> {
  const first = tool.schema.safeParse(raw)
  if (first.success) return ok(first.data)
  // Numbers and booleans written as text are a slip that harms nobody.
  const second = tool.schema.safeParse(withValues(raw, first.error.issues))
  if (second.success) return ok(second.data)
  const wrong = first.error.issues.map(wordsFor).join('; ')
  return fail({
    type: 'bad-input',
    message: `${tool.name} was not run, because its input is wrong: ${wrong}.`,
  })
}

function withValues(raw: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw
  const fields = { ...raw } as Record<string, unknown>
  for (const issue of issues) {
    const [field] = issue.path
    if (issue.path.length !== 1 || typeof field !== 'string' || issue.code !== 'invalid_type') continue
    const text = fields[field]
    if (typeof text !== 'string') continue
    if (issue.expected === 'boolean' && /^(true|false)$/i.test(text)) fields[field] = /^true$/i.test(text)
    if (issue.expected === 'number' && text.trim() !== '' && Number.isFinite(Number(text)))
      fields[field] = Number(text)
  }
  return fields
}

function wordsFor(issue: z.core.$ZodIssue): string {
  const field = issue.path.join('.')
  if (issue.code === 'unrecognized_keys') return `there is no field ${issue.keys.join(', ')}`
  if (issue.code === 'invalid_type' && issue.input === undefined && field !== '')
    return `${field} is missing (${issue.expected})`
  return field === '' ? issue.message : `${field}: ${issue.message}`
}

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { AnyTool } from '../ports/tool.ts'
import { parseInput } from './parse-input.ts'
import { type ToolPorts, ToolRegistry } from './tool-registry.ts'
import { toolSchemaOf } from './tool-schema.ts'

// Nothing runs here, so no port is needed.
const tools = new ToolRegistry({} as ToolPorts).builtIn()
const named = (name: string) => tools.find((tool) => tool.name === name) as AnyTool

const parse = (name: string, raw: unknown) => {
  const parsed = parseInput(named(name), raw)
  return parsed.ok ? parsed.value.input : parsed.failure.message
}

describe('parseInput', () => {
  it('returns valid input', () => {
    const input = { file_path: 'a.ts', offset: 3 }
    expect(parse('Read', input)).toEqual(input)
  })

  it.each([
    ['numbers as text', 'Read', { file_path: 'a', offset: '12' }, { file_path: 'a', offset: 12 }],
    ['text as a number', 'Grep', { pattern: 404 }, { pattern: '404' }],
    [
      'yes and no as text',
      'Edit',
      { file_path: 'a', old_string: 'b', new_string: 'c', replace_all: 'True' },
      { file_path: 'a', old_string: 'b', new_string: 'c', replace_all: true },
    ],
    ['nothing for what may be left out', 'Glob', { pattern: '*', path: null }, { pattern: '*' }],
    ['fields of others that say no', 'Bash', { command: 'ls', sandbox: false }, { command: 'ls' }],
    [
      'a list as text',
      'TodoWrite',
      { todos: '[{"content":"a","status":"pending"}]' },
      { todos: [{ content: 'a', status: 'pending' }] },
    ],
    ['everything as text', 'Glob', '{"pattern":"*"}', { pattern: '*' }],
  ])('corrects %s', (_, name, raw, input) => {
    expect(parse(name, raw)).toEqual(input)
  })

  it('keeps strings that look like other types', () => {
    const input = { file_path: '1', old_string: 'true', new_string: '[1]' }
    expect(parse('Edit', input)).toEqual(input)
    expect(parse('Write', { file_path: 'a', content: '{"a":1}' })).toEqual({
      file_path: 'a',
      content: '{"a":1}',
    })
  })

  it.each([
    ['Read', {}, 'Read was not run, because its input is invalid: `file_path` is missing (text).'],
    ['Read', { file_path: 'a', offset: 'ten' }, '`offset` must be a number, not "ten"'],
    ['Read', { file_path: 'a', offset: 0 }, '`offset` must be at least 1, not 0'],
    ['Read', { file_path: 'a', limit: 1.5 }, '`limit` must be a whole number, not 1.5'],
    ['Read', { file_path: '' }, '`file_path` must not be empty'],
    [
      'Read',
      { path: 'a' },
      '`file_path` is missing (text); `path` is not a field (fields: file_path, offset, limit, pages)',
    ],
    [
      'Grep',
      { pattern: 'x', output_mode: 'lines' },
      '`output_mode` must be one of "content", "files_with_matches", "count", not "lines"',
    ],
    ['Bash', { command: 'x', timeout: 30 }, '`timeout` must be at least 1000, not 30'],
    ['Bash', { command: 'x', timeout: 9e9 }, '`timeout` must be at most 600000'],
    [
      'TodoWrite',
      { todos: [{ content: 'a', status: 'done' }] },
      '`todos.0.status` must be one of "pending", "in_progress", "completed", not "done"',
    ],
    ['Edit', { file_path: 'a', old_string: 'b', new_string: 'c', regex: true }, '`regex` is not a field'],
    [
      'Read',
      '{"file_path": "a.ts", ',
      'Read was not run, because its input is broken JSON: Expected double-quoted property name in JSON',
    ],
    ['Read', 'a.ts', 'it must be an object'],
    ['Read', null, 'it must be an object'],
    ['Read', [], 'it must be an object'],
  ])('%s refuses %j with the reason in one line', (name, raw, problem) => {
    const message = parse(name, raw)
    expect(message).toContain(problem)
    expect(message).not.toContain('\n')
  })

  it.each([
    ['TodoWrite', { todos: [{ content: 'a', status: 'pending', id: 1 }] }, ['todos.id']],
    ['SendMessage', { to: 'a', message: 'b', type: 'message' }, ['type']],
    ['Grep', { pattern: 'a', color: true, sort: 'path' }, ['color', 'sort']],
    ['Write', { file_path: 'a', content: 'b', description: 'A new file.' }, ['description']],
  ])('%s ignores unknown fields that change nothing, and names them', (name, raw, ignored) => {
    const parsed = parseInput(named(name), raw)
    expect(parsed).toMatchObject({ ok: true, value: { ignored } })
    expect(JSON.stringify(parsed.ok && parsed.value.input)).not.toContain(
      `"${ignored.at(-1)?.split('.').at(-1)}"`,
    )
  })

  it('does not modify its input', () => {
    const raw = Object.freeze({ file_path: 'a', offset: '1' })
    parse('Read', raw)
    expect(raw.offset).toBe('1')
  })
})

/** Fields that need no description beside the tool's. */
const CLEAR = new Set([
  ...['file_path', 'content', 'new_string', 'replace_all', 'url', 'query', 'name', 'members', 'skill'],
])

describe('toolSchemaOf', () => {
  it.each(tools)('describes $name completely', (tool) => {
    const { name, description, input_schema: schema } = toolSchemaOf(tool)
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(description.length).toBeGreaterThan(10)
    expect(schema).toMatchObject({ type: 'object' })
    expect(schema).not.toHaveProperty('additionalProperties')
    expect(schema).not.toHaveProperty('$schema')
    expect(JSON.stringify(schema)).not.toMatch(/9007199254740991/)
    const fields = Object.entries(schema['properties'] as Record<string, { description?: string }>)
    const unclear = fields.filter(([field, { description }]) => !description && !CLEAR.has(field))
    expect(unclear).toEqual([])
  })

  it('lists required fields', () => {
    expect(toolSchemaOf(named('Edit')).input_schema['required']).toEqual([
      'file_path',
      'old_string',
      'new_string',
    ])
  })

  it('is identical each time, so that the prefix stays cached', () => {
    expect(toolSchemaOf(named('Grep')).input_schema).toBe(toolSchemaOf(named('Grep')).input_schema)
  })

  it('treats fields with defaults as optional', () => {
    const schema = z.object({ a: z.number().int().default(3).describe('A.') }).strict()
    expect(toolSchemaOf({ name: 'X', description: 'y', schema }).input_schema).not.toHaveProperty('required')
  })
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readReportSchema } from './report-schema.ts'

const SCHEMA = {
  type: 'object',
  required: ['files', 'risk'],
  additionalProperties: false,
  properties: {
    files: { type: 'array', items: { type: 'string' }, uniqueItems: true },
    risk: { enum: ['low', 'high'] },
  },
}

const read = (schema: unknown, report: string) => {
  const found = readReportSchema(JSON.stringify(schema))
  if (!found.ok) throw new Error(found.failure.message)
  return found.value.read(report)
}

test('a valid report is its value, also in a block of code', () => {
  const value = { files: ['a.ts'], risk: 'low' }
  const text = JSON.stringify(value)
  for (const report of [text, `\n${text}\n`, `\`\`\`json\n${text}\n\`\`\``, `\`\`\`\n${text}\n\`\`\`\n`])
    expect(read(SCHEMA, report)).toEqual({ ok: true, value })
  expect(read({ type: 'null' }, 'null')).toEqual({ ok: true, value: null })
})

test('what is wrong is said with its place', () => {
  const wrong = (report: string) => {
    const found = read(SCHEMA, report)
    return found.ok ? null : found.failure.message.split('\n')
  }
  expect(wrong('{"files": ["a", "a"], "risk": "some", "more": 1}')).toEqual([
    'The value must NOT have additional properties: more.',
    '/files must NOT have duplicate items (items ## 1 and 0 are identical).',
    '/risk must be equal to one of the allowed values: low,high.',
  ])
  expect(wrong('{}')).toHaveLength(2)
  for (const text of ['Here it is: {"files": [], "risk": "low"}', '', '{"files": []'])
    expect(wrong(text)?.[0], text).toMatch(/^It is not JSON: /)
})

test('keywords count without a type, and those of all drafts that are named', () => {
  expect(read({ required: ['a'] }, '{}').ok).toBe(false)
  expect(read({ dependentRequired: { a: ['b'] } }, '{"a": 1}').ok).toBe(false)
  const older = { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] }
  expect(read(older, '[1]').ok).toBe(false)
  expect(read({ prefixItems: [{ type: 'string' }] }, '[1]').ok).toBe(false)
  expect(read({ $defs: { n: { type: 'number' } }, $ref: '#/$defs/n' }, '"x"').ok).toBe(false)
})

test('a schema that checks less than it says is refused', () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-schema-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'report.json')
  writeFileSync(file, '{"type": "object",')
  const refused = (given: string) => {
    const found = readReportSchema(given)
    return found.ok ? null : found.failure.message
  }
  expect(refused('{"requird": ["a"]}')).toContain('unknown keyword: "requird"')
  expect(refused('{"type": "objekt"}')).toContain('--output-schema: schema is invalid')
  expect(refused('{"$ref": "https://example.com/a.json"}')).toContain("can't resolve reference")
  expect(refused('{"$schema": "http://json-schema.org/draft-04/schema#"}')).toContain('Use draft 2020-12')
  expect(refused(file)).toMatch(/^--output-schema .*report\.json: .*JSON/)
  expect(refused(join(folder, 'none.json'))).toContain('no such file')
  writeFileSync(file, '[]')
  expect(refused(file)).toContain('A JSON Schema is an object')
  writeFileSync(file, JSON.stringify({ description: 'x'.repeat(100_000) }))
  expect(refused(file)).toContain('At most 100000 are possible.')
})

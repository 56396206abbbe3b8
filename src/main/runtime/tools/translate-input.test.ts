import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ok } from '../../../shared/kernel/result.ts'
import type { AnyTool, ToolOutcome, ToolSession } from '../ports/tool.ts'
import { parseInput } from './parse-input.ts'
import { toolSchemaOf } from './tool-schema.ts'
import { expandHome, translateInput, withTranslationNote } from './translate-input.ts'

const IN = '/data/worktrees/repo-1/fixer-a'

const session = (): ToolSession => ({
  root: IN,
  project: '/repo',
  worktree: { path: IN, branch: 'troupe/fixer-a', aliases: ['/repo'], environment: {} },
  cwd: IN,
  readFolders: new Set(),
  seen: new Map(),
})

/** Every tool. Nothing runs here, so dependencies are omitted. */
async function allTools(): Promise<readonly AnyTool[]> {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^[\w/-]+\.ts$/.test(name),
  )
  const modules: Record<string, unknown>[] = await Promise.all(
    files.map((name) => import(join(import.meta.dirname, name))),
  )
  const makers = modules.flatMap((module) =>
    Object.entries(module).flatMap(([name, made]) => (/^create\w+Tool$/.test(name) ? [made] : [])),
  )
  const deps = { description: 'x', preview: async () => ok('x'), pages: {} }
  return makers.map((make) => (make as (deps: object) => AnyTool)(deps))
}

/** For each tool: an input with paths of the project, and the expected translation. */
const TABLE: Readonly<Record<string, readonly (readonly [input: object, wanted: object])[]>> = {
  Read: [
    [{ file_path: '/repo/src/a.ts' }, { file_path: `${IN}/src/a.ts` }],
    [
      { file_path: '/repo-evil/a.ts', offset: 3 },
      { file_path: '/repo-evil/a.ts', offset: 3 },
    ],
    [{ file_path: 'src/a.ts' }, { file_path: 'src/a.ts' }],
  ],
  Write: [
    [
      { file_path: '/repo/a', content: 'see /repo/b' },
      { file_path: `${IN}/a`, content: 'see /repo/b' },
    ],
  ],
  Edit: [
    [
      { file_path: '/repo/a', old_string: '/repo/x', new_string: '/repo/y' },
      { file_path: `${IN}/a`, old_string: '/repo/x', new_string: '/repo/y' },
    ],
  ],
  Glob: [
    [
      { pattern: '**/*.ts', path: '/repo/src' },
      { pattern: '**/*.ts', path: `${IN}/src` },
    ],
    [{ pattern: '/repo/src/**/*.{ts,tsx}' }, { pattern: `${IN}/src/**/*.{ts,tsx}` }],
    [{ pattern: 'repo/**' }, { pattern: 'repo/**' }],
  ],
  Grep: [
    [
      { pattern: '/repo/x', path: '/repo/', glob: '/repo/*.ts' },
      { pattern: '/repo/x', path: `${IN}/`, glob: '/repo/*.ts' },
    ],
  ],
  NotebookEdit: [
    [
      { notebook_path: '/repo/a.ipynb', new_source: '/repo', edit_mode: 'insert' },
      { notebook_path: `${IN}/a.ipynb`, new_source: '/repo', edit_mode: 'insert' },
    ],
  ],
  Bash: [
    [{ command: 'cat /repo/a "/repo/b c"' }, { command: `cat ${IN}/a "${IN}/b c"` }],
    [
      { command: 'ls', description: 'Lists /repo' },
      { command: 'ls', description: 'Lists /repo' },
    ],
  ],
}

/** The names of its fields, nested ones included. */
function fieldsOf(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const properties = 'properties' in schema ? Object.keys(schema.properties as object) : []
  return [...properties, ...Object.values(schema).flatMap(fieldsOf)]
}

describe('the input of a tool in a worktree', () => {
  it('has every path field translated', async () => {
    const tools = await allTools()
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(TABLE)))
    for (const { name, schema, paths = {} } of tools) {
      const fields = fieldsOf(toolSchemaOf({ name, schema, description: '' }).input_schema)
      const declared = Object.keys(paths)
      expect(fields, name).toEqual(expect.arrayContaining(declared))
      const named = fields.filter((field) => /path|file|folder|dir|cwd|command/i.test(field))
      expect(declared, name).toEqual(expect.arrayContaining(named))
      // A tool with paths has an entry in the table, which translates each of its fields once.
      const seen = (TABLE[name] ?? []).flatMap(([input, wanted]) =>
        Object.entries(wanted).flatMap(([field, value]) =>
          value === (input as Record<string, unknown>)[field] ? [] : [field],
        ),
      )
      expect(new Set(seen), name).toEqual(new Set(declared))
    }
  })

  it.each(Object.entries(TABLE).flatMap(([name, rows]) => rows.map((row) => [name, ...row] as const)))(
    'of %s: %o',
    async (name, given, wanted) => {
      const tool = (await allTools()).find((one) => one.name === name)!
      const parsed = parseInput(tool, given)
      if (!parsed.ok) throw new Error(parsed.failure.message)
      expect(translateInput(parsed.value.input, tool, session())).toEqual(wanted)
      expect(translateInput(parsed.value.input, tool, { worktree: null })).toBe(parsed.value.input)
    },
  )
})

describe('the note about translated paths', () => {
  const outcome: ToolOutcome = { isError: false, content: 'lines', note: '1 line' }

  it('appears once, and explains the translation', () => {
    const own = session()
    const first = withTranslationNote(outcome, own)
    expect(first.content).toBe(
      `lines\n[You work in your own worktree, so /repo means ${IN} in all your calls. The paths of this call were translated.]`,
    )
    expect(withTranslationNote(outcome, own)).toBe(outcome)
    expect(withTranslationNote(outcome, session()).content).not.toBe('lines')
  })

  it('follows an image, too', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'x' } } as const
    expect(withTranslationNote({ ...outcome, content: [image] }, session()).content).toEqual([
      image,
      { type: 'text', text: expect.stringContaining('your own worktree') },
    ])
  })
})

describe('expandHome', () => {
  const home = '/home/$1me'
  const tool = { paths: { file_path: 'path', command: 'command' } } as const
  it.each([
    ['~/notes.md', '/home/$1me/notes.md'],
    ['~', '/home/$1me'],
    ['~other/notes.md', '~other/notes.md'],
    ['./~/notes.md', './~/notes.md'],
    ['src/a~', 'src/a~'],
  ])('reads the path %s as a shell does', (given, meant) => {
    expect(expandHome({ file_path: given, limit: 1 }, tool, { home })).toEqual({ file_path: meant, limit: 1 })
  })

  it('leaves commands to the shell, and other fields as they are', () => {
    const input = { command: 'ls ~/x', content: '~/x' }
    expect(expandHome(input, tool, { home })).toBe(input)
    expect(expandHome({ file_path: '~/x' }, tool, {})).toEqual({ file_path: '~/x' })
  })
})

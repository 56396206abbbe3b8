import { describe, expect, test } from 'vitest'
import type { InstructionFile } from '../ports/definitions.ts'
import type { KnownInstructions } from './new-instructions.ts'
import { changedInstructions, nestedInstructions } from './new-instructions.ts'

const file = (path: string, text: string, more: Partial<InstructionFile> = {}): InstructionFile => ({
  path,
  text,
  scope: 'project',
  importedBy: null,
  bytes: text.length,
  digest: text,
  ...more,
})
const knownFrom = (...files: readonly InstructionFile[]): KnownInstructions =>
  new Map(files.map((one) => [one.path, one]))

/** Instructions by their folder. */
function depsWith(folders: Readonly<Record<string, readonly InstructionFile[]>>) {
  const asked: string[] = []
  const below = async (_folder: string, path: string) => {
    asked.push(path)
    return Object.entries(folders).flatMap(([folder, files]) => (path.startsWith(`${folder}/`) ? files : []))
  }
  return { asked, memory: { below }, folder: '/repo', trusted: true }
}

describe('instructions of subfolders', () => {
  const api = file('/repo/api/CLAUDE.md', 'Use zod.')
  const more = file('/repo/api/more.md', 'More.', { importedBy: '/repo/api/CLAUDE.md' })
  const deps = depsWith({
    '/repo/api': [api, more],
    '/repo/web': [file('/repo/web/AGENTS.md', 'Use React.')],
  })

  test('are returned with their files, each file once for any number of paths', async () => {
    const received = await nestedInstructions(
      ['/repo/api/a.ts', '/repo/api/b.ts', '/repo/web/c.ts', '/repo/d.ts'],
      new Map(),
      deps,
    )
    expect(received?.files.map(({ path }) => path)).toEqual([api.path, more.path, '/repo/web/AGENTS.md'])
    expect(received?.files[0]).not.toHaveProperty('text')
    expect(received?.text.match(/Use zod\./g)).toHaveLength(1)
    expect(received?.text).toContain('## From /repo/api/more.md, imported by /repo/api/CLAUDE.md\nMore.')
  })

  test('are not repeated, except for new or changed files', async () => {
    expect(await nestedInstructions(['/repo/api/a.ts'], knownFrom(api, more), deps)).toBeNull()
    const older = file(api.path, 'Use nothing.')
    const received = await nestedInstructions(['/repo/api/a.ts'], knownFrom(older, more), deps)
    expect(received?.files.map(({ path }) => path)).toEqual([api.path])
  })

  test('are empty if no path was accessed', async () => {
    const idle = depsWith({})
    expect(await nestedInstructions([], new Map(), idle)).toBeNull()
    expect(idle.asked).toEqual([])
  })
})

describe('changed instructions', () => {
  const user = file('/home/CLAUDE.md', 'Be brief.', { scope: 'user' })
  const top = file('/repo/CLAUDE.md', 'Tabs.')
  const api = file('/repo/api/CLAUDE.md', 'Use zod.')
  const known = knownFrom(user, top, api)
  const now = (...files: readonly InstructionFile[]) => ({ files })

  test('are empty if no file changed, nested ones included', async () => {
    expect(await changedInstructions(known, now(user, top), depsWith({ '/repo/api': [api] }))).toBeNull()
  })

  test('contain changed files, new files, and files of a subfolder', async () => {
    const received = await changedInstructions(
      known,
      now(user, file(top.path, 'Spaces.'), file('/repo/AGENTS.md', 'New.')),
      depsWith({ '/repo/api': [file(api.path, 'Use valibot.')] }),
    )
    expect(received?.files.map(({ path }) => path)).toEqual([top.path, '/repo/AGENTS.md', api.path])
    expect(received?.text).toContain('## From /repo/CLAUDE.md\nSpaces.')
    expect(received?.text).toContain('Use valibot.')
    expect(received?.text).not.toContain('Be brief.')
  })

  test('name removed files once', async () => {
    const received = await changedInstructions(known, now(user), depsWith({}))
    expect(received?.files).toEqual([
      { path: top.path, scope: 'project', importedBy: null, bytes: 0 },
      { path: api.path, scope: 'project', importedBy: null, bytes: 0 },
    ])
    expect(received?.text).toContain('removed and no longer apply: /repo/CLAUDE.md, /repo/api/CLAUDE.md.')
    const after = new Map([...known, ...(received?.files ?? []).map((one) => [one.path, one] as const)])
    expect(await changedInstructions(after, now(user), depsWith({}))).toBeNull()
    const back = await changedInstructions(after, now(user, top), depsWith({}))
    expect(back?.files.map(({ path }) => path)).toEqual([top.path])
  })

  test('never include the agent’s own memory', async () => {
    const notes = file('/m/MEMORY.md', 'one', { scope: 'agent' })
    const later = file('/m/MEMORY.md', 'two', { scope: 'agent' })
    expect(await changedInstructions(knownFrom(notes), now(later), depsWith({}))).toBeNull()
    expect(await changedInstructions(knownFrom(notes), now(), depsWith({}))).toBeNull()
  })
})

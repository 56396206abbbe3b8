import { describe, expect, test } from 'vitest'
import type { InstructionFile } from '../ports.ts'
import { changedInstructions } from './changed-instructions.ts'
import type { KnownInstructions } from './known-instructions.ts'
import { nestedInstructions } from './nested-instructions.ts'

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

/** Instructions by the folder they hold for. */
function depsWith(folders: Readonly<Record<string, readonly InstructionFile[]>>) {
  const asked: string[] = []
  const below = async (_folder: string, path: string) => {
    asked.push(path)
    return Object.entries(folders).flatMap(([folder, files]) => (path.startsWith(`${folder}/`) ? files : []))
  }
  return { asked, memory: { below }, folder: '/repo', trusted: true }
}

describe('instructions of folders below', () => {
  const api = file('/repo/api/CLAUDE.md', 'Use zod.')
  const more = file('/repo/api/more.md', 'More.', { importedBy: '/repo/api/CLAUDE.md' })
  const deps = depsWith({
    '/repo/api': [api, more],
    '/repo/web': [file('/repo/web/AGENTS.md', 'Use React.')],
  })

  test('are told with their files, each once however many paths lead to it', async () => {
    const told = await nestedInstructions(
      ['/repo/api/a.ts', '/repo/api/b.ts', '/repo/web/c.ts', '/repo/d.ts'],
      new Map(),
      deps,
    )
    expect(told?.files.map(({ path }) => path)).toEqual([api.path, more.path, '/repo/web/AGENTS.md'])
    expect(told?.files[0]).not.toHaveProperty('text')
    expect(told?.text.match(/Use zod\./g)).toHaveLength(1)
    expect(told?.text).toContain('## From /repo/api/more.md, imported by /repo/api/CLAUDE.md\nMore.')
  })

  test('are not told again, but what came or changed since is', async () => {
    expect(await nestedInstructions(['/repo/api/a.ts'], knownFrom(api, more), deps)).toBeNull()
    const older = file(api.path, 'Use nothing.')
    const told = await nestedInstructions(['/repo/api/a.ts'], knownFrom(older, more), deps)
    expect(told?.files.map(({ path }) => path)).toEqual([api.path])
  })

  test('are nothing where nothing was touched', async () => {
    const idle = depsWith({})
    expect(await nestedInstructions([], new Map(), idle)).toBeNull()
    expect(idle.asked).toEqual([])
  })
})

describe('instructions that changed', () => {
  const user = file('/home/CLAUDE.md', 'Be brief.', { scope: 'user' })
  const top = file('/repo/CLAUDE.md', 'Tabs.')
  const api = file('/repo/api/CLAUDE.md', 'Use zod.')
  const known = knownFrom(user, top, api)
  const now = (...files: readonly InstructionFile[]) => ({ files })

  test('are nothing where all is as it was, nested ones included', async () => {
    expect(await changedInstructions(known, now(user, top), depsWith({ '/repo/api': [api] }))).toBeNull()
  })

  test('are told as they are now: changed, new, and in a folder below', async () => {
    const told = await changedInstructions(
      known,
      now(user, file(top.path, 'Spaces.'), file('/repo/AGENTS.md', 'New.')),
      depsWith({ '/repo/api': [file(api.path, 'Use valibot.')] }),
    )
    expect(told?.files.map(({ path }) => path)).toEqual([top.path, '/repo/AGENTS.md', api.path])
    expect(told?.text).toContain('## From /repo/CLAUDE.md\nSpaces.')
    expect(told?.text).toContain('Use valibot.')
    expect(told?.text).not.toContain('Be brief.')
  })

  test('are named where they are gone, once', async () => {
    const told = await changedInstructions(known, now(user), depsWith({}))
    expect(told?.files).toEqual([
      { path: top.path, scope: 'project', importedBy: null, bytes: 0 },
      { path: api.path, scope: 'project', importedBy: null, bytes: 0 },
    ])
    expect(told?.text).toContain('no longer there, and hold no more: /repo/CLAUDE.md, /repo/api/CLAUDE.md.')
    const after = new Map([...known, ...(told?.files ?? []).map((one) => [one.path, one] as const)])
    expect(await changedInstructions(after, now(user), depsWith({}))).toBeNull()
    const back = await changedInstructions(after, now(user, top), depsWith({}))
    expect(back?.files.map(({ path }) => path)).toEqual([top.path])
  })

  test('are never what the agent noted itself', async () => {
    const notes = file('/m/MEMORY.md', 'one', { scope: 'agent' })
    const later = file('/m/MEMORY.md', 'two', { scope: 'agent' })
    expect(await changedInstructions(knownFrom(notes), now(later), depsWith({}))).toBeNull()
    expect(await changedInstructions(knownFrom(notes), now(), depsWith({}))).toBeNull()
  })
})

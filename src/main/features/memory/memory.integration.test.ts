/** Memory and instructions in the real program, from files to the model's requests. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type RealTroupe, realTroupe } from '../../testing/real-troupe.ts'
import type { Director, ScriptedBlock, ScriptedRequest } from '../rehearsal/director.ts'

let troupe: RealTroupe | null = null
afterEach(async () => {
  await troupe?.close()
  troupe = null
})

/** Makes these calls, one per turn, then ends; its requests are recorded. */
function calling(
  callsFor: (request: ScriptedRequest) => readonly (readonly [name: string, input: unknown])[],
) {
  const seen: ScriptedRequest[] = []
  const director: Director = {
    reply: async (request) => {
      seen.push(request)
      const call = callsFor(request)[request.messages.filter(({ role }) => role === 'assistant').length]
      const block: ScriptedBlock = call
        ? { type: 'tool_use', name: call[0], input: call[1] }
        : { type: 'text', text: 'Done.' }
      return { blocks: [block] }
    },
  }
  return { director, seen }
}

async function put(folder: string, files: Readonly<Record<string, string>>) {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}
const wordsOf = (request: ScriptedRequest | undefined) => JSON.stringify(request?.messages.at(-1))

test('an agent’s prompt has the memory that its earlier run wrote', async () => {
  const folderIn = ({ system }: ScriptedRequest) =>
    /The folder (\S+) belongs to you alone/.exec(system)?.[1] ?? ''
  const { director, seen } = calling((request) =>
    request.system.includes('Redis')
      ? []
      : [
          ['Write', { file_path: join(folderIn(request), 'MEMORY.md'), content: 'Tests need Redis.\n' }],
          ['Write', { file_path: 'notes.md', content: 'elsewhere' }],
          ['Write', { file_path: join(folderIn(request), '../other/MEMORY.md'), content: 'elsewhere' }],
        ],
  )
  troupe = await realTroupe(director)
  await put(troupe.folder, {
    '.claude/agents/k.md': '---\nname: Note Keeper\ndescription: Keeps.\nmemory: project\n---\nYou keep.\n',
  })
  const args = ['run', 'Go', '--json', '--agent', 'Note Keeper', '--permission-mode', 'dontAsk']
  const first = await troupe.start(args).ended
  expect(first.code, first.errors).toBe(0)
  const own = folderIn(seen[0]!)
  expect(own).toMatch(/project\/\.claude\/agent-memory\/note-keeper-[0-9a-f]{6}$/)
  expect(await readFile(join(own, 'MEMORY.md'), 'utf8')).toBe('Tests need Redis.\n')
  expect(existsSync(join(troupe.folder, 'notes.md'))).toBe(false)
  expect(existsSync(join(own, '../other'))).toBe(false)

  await troupe.start(args).ended
  expect(seen.at(-1)?.system).toContain('Tests need Redis.')
})

test('the requests contain a repository’s instruction files only', async () => {
  const { director, seen } = calling(() => [
    ['Read', { file_path: 'api/deep/a.ts' }],
    ['Read', { file_path: 'api/deep/a.ts' }],
    ['Bash', { command: 'cat b.ts' }],
  ])
  troupe = await realTroupe(director)
  await put(troupe.base, {
    '.ssh/id_rsa': 'the-key',
    'private.md': 'the-key',
    '.claude/CLAUDE.md': 'Be brief.',
  })
  await put(troupe.folder, {
    '.git/HEAD': 'ref: refs/heads/main\n',
    'CLAUDE.md': 'Tabs. @docs/style.md @~/.ssh/id_rsa @/etc/passwd @docs/link.md',
    'docs/style.md': 'No classes.',
    'api/CLAUDE.md': 'Use zod. @../../private.md',
    'api/deep/a.ts': 'x',
    'b.ts': 'y',
  })
  await symlink(join(troupe.base, 'private.md'), join(troupe.folder, 'docs/link.md'))
  await symlink(troupe.base, join(troupe.folder, 'api/deep/AGENTS.md'))
  const running = troupe.start(['run', 'Go', '--json', '--permission-mode', 'dontAsk'])
  const { code, errors } = await running.ended
  expect(code, errors).toBe(0)

  const system = seen[0]?.system ?? ''
  for (const text of ['Be brief.', 'Tabs.', 'No classes.']) expect(system).toContain(text)
  expect(wordsOf(seen[1])).toContain('Use zod.')
  expect(wordsOf(seen[2])).not.toContain('Use zod.')

  await put(troupe.folder, { 'CLAUDE.md': 'Spaces now.' })
  const approved = await troupe.start(['permissions', 'approve']).ended
  expect(approved.code, approved.errors).toBe(0)
  const [spawned] = running.events.filter((event) => event.type === 'agent-spawned')
  const resume = ['run', 'Again', '--resume', spawned?.conversationId ?? '', '--json']
  expect((await troupe.start([...resume, '--permission-mode', 'dontAsk']).ended).code).toBe(0)
  expect(wordsOf(seen.at(-1))).toContain('Spaces now.')
  expect(new Set(seen.map((request) => request.system)).size).toBe(1)
  const sent = JSON.stringify(seen)
  expect(sent).not.toContain('the-key')
  expect(sent).not.toContain('root:')
  const notices = running.events.flatMap((event) => (event.type === 'notice' ? [event.text] : []))
  for (const path of ['.ssh/id_rsa', '/etc/passwd', 'docs/link.md'])
    expect(notices).toContainEqual(expect.stringMatching(`${path}, which .*CLAUDE.md imports, was not read`))
})

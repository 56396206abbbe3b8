/** The real Claude Code in the whole program: its work is merged, and it continues after a kill and as the main agent. */
import { execFileSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { gate } from '../../runtime/testing/scripts.ts'
import { realTroupe } from '../../testing/real-troupe.ts'
import { scenarioRuntime } from '../../testing/scenario-runtime.ts'
import type { Director } from '../rehearsal/director.ts'
import { startForeignApi } from './backing/testing/foreign-api.ts'
import { processesWithHome } from './backing/testing/processes-with-home.ts'
import { calls, said } from './backing/testing/program-runtime.ts'
import { definitionOf, realClaude, withClaude } from './backing/testing/real-programs.ts'

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Writes the user's definition of Claude Code as the agent type `outsider`. @returns its home folder */
async function define(base: string, api: { readonly url: string }): Promise<string> {
  const home = join(base, 'claude-home')
  const agents = join(base, '.claude', 'agents')
  await Promise.all([mkdir(home), mkdir(agents, { recursive: true })])
  await writeFile(join(agents, 'outsider.md'), definitionOf('outsider', realClaude({ api, home })))
  return home
}

/** Each of our own agents delegates first, and then says so. */
const delegates: Director = {
  reply: async ({ messages }) =>
    messages.length === 1
      ? calls('Agent', { description: 'Outside', prompt: 'Do outside', subagent_type: 'outsider' })
      : said('It has reported.'),
}

withClaude('Claude Code', () => {
  test('what it changes in its own worktree is reviewed and merged', async () => {
    const api = await startForeignApi({
      'Do outside': [
        calls('Bash', { command: 'echo outside > made.txt', description: 'Makes a file' }),
        said('Made.'),
      ],
    })
    closing.push(api.close)
    const troupe = await scenarioRuntime('outside')
    closing.push(troupe.close)
    const { folder, program } = troupe
    await define(dirname(folder), api)
    const git = (...args: readonly string[]) =>
      execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim()
    git('init', '-q', '-b', 'main')
    git('config', 'user.name', 'Ada')
    git('config', 'user.email', 'ada@example.invalid')
    await writeFile(join(folder, 'first.txt'), 'first\n')
    git('add', '-A')
    git('commit', '-qm', 'First')

    await program.runtime.settled(await troupe.begin('Go'))
    const { worktrees } = await program.review.list(folder, { thorough: true })
    expect(worktrees).toMatchObject([{ task: 'Outside', check: { kind: 'clean' } }])
    expect(git('status', '--porcelain')).toBe('')
    const merged = await program.review.merge(
      { folder, id: worktrees[0]?.id ?? '' },
      { method: 'merge', into: null, commits: [], seen: null },
    )
    expect(merged).toMatchObject({ ok: true })
    expect(await readFile(join(folder, 'made.txt'), 'utf8')).toBe('outside\n')
  })

  test('after a kill of Troupe none of its processes is left, and its session continues', async () => {
    const never = gate()
    const api = await startForeignApi({
      'Do outside': [
        calls('Bash', { command: 'touch one.txt', description: 'Makes a file' }),
        never.opened.then(() => said('Too late.')),
      ],
      'And now': [said('Here I am again.')],
    })
    closing.push(api.close)
    const troupe = await realTroupe(delegates)
    closing.push(troupe.close)
    const home = await define(troupe.base, api)
    const mode = ['--permission-mode', 'bypassPermissions']

    const first = troupe.start(['run', 'Go', '--json', ...mode])
    await expect.poll(() => api.requests.length).toBe(2)
    const spawned = first.events.find((event) => event.type === 'agent-spawned' && event.parentId !== null)
    const id = spawned?.agentId ?? ''
    expect((await processesWithHome(home)).length).toBeGreaterThan(1)
    first.child.kill('SIGKILL')
    await first.ended
    await expect.poll(() => processesWithHome(home)).toEqual([])
    never.open()

    const again = troupe.start(['run', 'And now?', '--json', ...mode, '--resume', id])
    expect(await again.ended).toMatchObject({ code: 0, result: { report: 'Here I am again.' } })
    // The session's model knows what it did before.
    expect(JSON.stringify(api.requests.at(-1))).toContain('touch one.txt')
    const transcript = await readFile(join(troupe.home, 'tasks', id, 'transcript.jsonl'), 'utf8')
    // In its mode, the program asks nothing and tells the command late, so the kill may come before; the file is recorded.
    expect(transcript).toMatch(/one\.txt.*Here I am again\./s)
    await expect.poll(() => processesWithHome(home)).toEqual([])
  })

  test('it is the main agent of a conversation, and goes on with a second message', async () => {
    const api = await startForeignApi({
      'Which fruit': [said('An apple.')],
      'Which color': [said('Green.')],
    })
    closing.push(api.close)
    const troupe = await realTroupe(delegates)
    closing.push(troupe.close)
    await define(troupe.base, api)
    const first = await troupe.start(['run', 'Which fruit?', '--json', '--agent', 'outsider']).ended
    expect(first).toMatchObject({ code: 0, result: { report: 'An apple.' } })
    const id = first.result?.conversationId ?? ''
    const second = await troupe.start(['run', 'Which color?', '--json', '--resume', id]).ended
    expect(second).toMatchObject({ code: 0, result: { report: 'Green.' } })
    expect(JSON.stringify(api.requests.at(-1))).toContain('An apple.')
    // No model of our own was asked.
    expect(troupe.server.requests).toEqual([])
  })
})

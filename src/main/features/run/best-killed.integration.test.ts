/** The whole program is killed in the middle of a comparison. The next start has it, and it can be finished. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { defaultSettings } from '../../../shared/settings/settings.ts'
import { attemptRows, comparisonStatus } from '../../../shared/state/comparison-rows.ts'
import { type ComposedRuntime, composeRuntime } from '../../features.ts'
import { processesWith, type RealTroupe, realTroupe } from '../../testing/real-troupe.ts'
import { withoutSandbox } from '../../testing/without-sandbox.ts'
import type { Director, ScriptedBlock } from '../rehearsal/director.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const AGENTS = ['quick', 'careful', 'slow']

let troupe: RealTroupe
let program: ComposedRuntime | null = null
afterEach(async () => {
  await program?.close()
  program = null
  await troupe.close()
})

/** Resolves at the first call of `open`. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

const write = (content: string): ScriptedBlock => ({
  type: 'tool_use',
  id: 'call_1',
  name: 'Write',
  input: { file_path: 'answer.txt', content },
})

test('after a kill the comparison says what happened to each attempt; checks run again, and an agent continues', async () => {
  const slowHasWritten = gate()
  let isKilled = false
  const director: Director = {
    reply: async ({ system, messages }) => {
      const name = AGENTS.find((one) => system.includes(`You are ${one}.`)) ?? 'main'
      if (!messages.some(({ role }) => role === 'assistant'))
        return { blocks: [write(name === 'careful' ? '41\n' : '42\n')] }
      if (name === 'slow' && !isKilled) {
        slowHasWritten.open()
        await new Promise<never>(() => {})
      }
      return { blocks: [{ type: 'text', text: `${name} is done.` }] }
    },
  }
  troupe = await realTroupe(director)
  await makeProject()
  const go = join(troupe.base, 'go')
  const begun = join(troupe.base, 'begun')
  const check = `touch ${begun}; until [ -e ${go} ] || [ ! -d ${troupe.base} ]; do sleep 0.02; done; grep -x 42 answer.txt`
  const running = troupe.start([
    ...['best', 'Write the answer', '--agents', AGENTS.join(','), '--test', check],
    ...['--permission-mode', 'acceptEdits', '--json'],
  ])
  await slowHasWritten.opened
  // One check runs, and the other one waits for it.
  await expect.poll(savedChecks).toEqual(['waiting', 'running', 'waiting'])
  await expect.poll(() => existsSync(begun)).toBe(true)
  running.child.kill('SIGKILL')
  expect((await running.ended).code).toBe(null)
  isKilled = true

  const { runtime } = await startAgain()
  const [conversation] = await runtime.conversations()
  const id = conversation?.id ?? ''
  const state = async () => {
    const snapshot = await runtime.snapshot(id)
    if (!snapshot.ok) throw new Error(snapshot.failure.message)
    const { record, agents } = snapshot.value
    const [comparison] = record.comparisons
    if (comparison === undefined) throw new Error('no comparison')
    return attemptRows(comparison, agents, Date.now())
  }
  const seen = await state()
  expect(comparisonStatus(seen)).toBe('done')
  expect(seen.map(({ label, status }) => [label, status])).toEqual([
    ['quick', 'completed'],
    ['careful', 'completed'],
    ['slow', 'interrupted'],
  ])
  const becauses = seen.map((row) => row.check?.because ?? null)
  expect(becauses.slice(0, 2).sort()).toEqual([
    'Troupe ended before the check ran.',
    'Troupe ended while the check ran.',
  ])
  expect(becauses[2]).toBe(null)
  // Nothing goes on by itself: neither the check that was cut off, nor an agent.
  if (process.platform === 'linux') await expect.poll(() => processesWith(go)).toEqual([])

  await writeFile(go, '')
  for (const { agentId, label } of seen) {
    const again =
      label === 'slow'
        ? await runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId })
        : await runtime.dispatch({ type: 'comparison.check', conversationId: id, agentId })
    expect(again).toMatchObject({ ok: true })
  }
  await runtime.settled(id)
  const done = await state()
  expect(done.map(({ status, check, work }) => [status, check?.state, work?.files])).toEqual([
    ['completed', 'passed', 1],
    ['completed', 'failed', 1],
    ['completed', 'passed', 1],
  ])
  expect((await troupe.linesOf('answer.txt')).toSorted()).toEqual(['41', '42', '42'])
})

/** The states of checks in the log of the conversation, the oldest first. */
async function savedChecks(): Promise<readonly string[]> {
  const folder = join(troupe.home, 'conversations')
  const [log = ''] = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'))
  const lines = (await readFile(join(folder, log), 'utf8')).split('\n')
  return lines.flatMap((line) => /"comparison-checked".*"state":"(\w+)"/.exec(line)?.[1] ?? [])
}

async function makeProject(): Promise<void> {
  const { base, folder } = troupe
  const agents = join(base, '.claude/agents')
  await mkdir(agents, { recursive: true })
  for (const name of AGENTS)
    await writeFile(
      join(agents, `${name}.md`),
      `---\nname: ${name}\ndescription: Answers.\n---\n\nYou are ${name}.\n`,
    )
  await writeFile(join(folder, 'a.txt'), 'one\n')
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder })
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', 'ada@example.org')
  git('add', '-A')
  git('commit', '-qm', 'First')
}

/** The next start, with the data of the killed program. */
async function startAgain(): Promise<ComposedRuntime> {
  const { base, folder, home, server } = troupe
  program = await composeRuntime({
    dataFolder: home,
    home: base,
    environment: { PATH: process.env['PATH'], HOME: base },
    settings: { current: { ...defaultSettings, ...withoutSandbox, trustedFolders: [folder] } },
    agentsFolder: join(ROOT, 'agents'),
    docsFolder: join(ROOT, 'docs'),
    rehearsal: { pace: 0, scenarioFile: null },
  })
  await program.switchAccess({ kind: 'api', key: server.apiKey, baseUrl: server.baseUrl })
  return program
}

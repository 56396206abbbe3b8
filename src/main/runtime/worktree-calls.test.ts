import { expect, test } from 'vitest'
import type { ShellRun } from './ports.ts'
import { createMemoryWorktrees } from './testing/memory-worktrees.ts'
import { agentCall, type Call, childrenOf, eventsOf, script, turnOf } from './testing/scripts.ts'
import { createTestRuntime, FOLDER } from './testing/test-runtime.ts'

const isolated = { isolation: 'worktree' }

/** An agent that makes these calls, one after the other; `more` says whether in a worktree of its own. */
async function calls(all: readonly Call[], more: object = isolated) {
  const worktrees = createMemoryWorktrees()
  const runs: ShellRun[] = []
  const troupe = createTestRuntime({
    ports: { worktrees },
    shell: async (run) => {
      runs.push(run)
      return { output: 'out', exitCode: 0, ended: 'exit', cwd: run.cwd }
    },
    script: script([{ calls: [agentCall('one', more)] }, { text: 'done' }], (request) => {
      const call = all[turnOf(request) - 1]
      return call ? { calls: [call] } : { text: 'done' }
    }),
  })
  await troupe.runtime.settled(await troupe.begin('Go'))
  const events = eventsOf(troupe, childrenOf(troupe)[0]?.agentId)
  return {
    runs,
    place: worktrees.made[0]?.place,
    started: events.filter((event) => event.type === 'tool-started'),
    ended: events.filter((event) => event.type === 'tool-ended'),
  }
}

test('paths of the project mean the worktree, for the permission, the log, the row and the command', async () => {
  const { runs, place, started, ended } = await calls([
    ['Bash', { command: `cat ${FOLDER}/a.txt` }],
    ['Read', { file_path: `${FOLDER}/b.txt` }],
  ])
  const top = place!.path
  // Unasked: what it reads lies inside of its folder.
  expect(started.map(({ input, summary }) => [input, summary])).toEqual([
    [{ command: `cat ${top}/a.txt` }, `cat ${top}/a.txt`],
    [{ file_path: `${top}/b.txt` }, 'b.txt'],
  ])
  expect(runs.map(({ command, cwd }) => [command, cwd])).toEqual([[`cat ${top}/a.txt`, top]])
  const [first, second] = ended.map(({ content }) => content)
  expect(first).toBe(
    `out\n[You work in a worktree of your own, so ${FOLDER} means ${top} in your calls. In this one, as in all to come, paths were translated.]`,
  )
  expect(second).not.toContain('worktree of your own')
})

test('its commands get what the worktree needs in their environment, others do not', async () => {
  const { runs, place } = await calls([['Bash', { command: 'ls' }]])
  expect(runs[0]?.environment).toEqual({ WORKTREE: place!.id })
  const shared = await calls([['Bash', { command: `cat ${FOLDER}/a.txt` }]], {})
  expect(shared.runs[0]).not.toHaveProperty('environment')
  expect(shared.started[0]?.input).toEqual({ command: `cat ${FOLDER}/a.txt` })
  expect(shared.ended[0]?.content).toBe('out')
})

test('git that would reach beyond the worktree is refused with the way to go on', async () => {
  const { runs, place, ended } = await calls([
    ['Bash', { command: 'git stash' }],
    ['Bash', { command: `cd ${FOLDER}/.. && git log` }],
    ['Bash', { command: `git -C ${FOLDER} log` }],
  ])
  expect(ended.map(({ isError, note }) => [isError, note])).toEqual([
    [true, 'denied'],
    [true, 'denied'],
    [false, expect.anything()],
  ])
  expect(ended[0]?.content).toContain('Commit on your own branch')
  expect(ended[1]?.content).toContain(`on your branch ${place!.branch}`)
  expect(runs.map(({ command }) => command)).toEqual([`git -C ${place!.path} log`])
})

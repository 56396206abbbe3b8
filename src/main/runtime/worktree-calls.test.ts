import { expect, test } from 'vitest'
import type { ShellRun } from './ports/shell.ts'
import { createMemoryWorktrees } from './testing/memory-worktrees.ts'
import { agentCall, type Call, childrenOf, eventsOf, script, turnOf } from './testing/scripts.ts'
import { createTestRuntime, FOLDER } from './testing/test-runtime.ts'

const isolated = { isolation: 'worktree' }

/** An agent that makes these calls one after the other; `more` can give it a worktree of its own. */
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
    location: worktrees.made[0]?.location,
    started: events.filter((event) => event.type === 'tool-started'),
    ended: events.filter((event) => event.type === 'tool-ended'),
  }
}

test('paths of the project mean the worktree in the permission, the log, the row and the command', async () => {
  const { runs, location, started, ended } = await calls([
    ['Bash', { command: `cat ${FOLDER}/a.txt` }],
    ['Read', { file_path: `${FOLDER}/b.txt` }],
  ])
  const top = location!.path
  // No permission needed: it reads inside its folder.
  expect(started.map(({ input, summary }) => [input, summary])).toEqual([
    [{ command: `cat ${top}/a.txt` }, `cat ${top}/a.txt`],
    [{ file_path: `${top}/b.txt` }, 'b.txt'],
  ])
  expect(runs.map(({ command, cwd }) => [command, cwd])).toEqual([[`cat ${top}/a.txt`, top]])
  const [first, second] = ended.map(({ content }) => content)
  expect(first).toBe(
    `out\n[You work in your own worktree, so ${FOLDER} means ${top} in all your calls. The paths of this call were translated.]`,
  )
  expect(second).not.toContain('worktree of your own')
})

test('only commands of agents in the worktree get its environment', async () => {
  const { runs, location } = await calls([['Bash', { command: 'ls' }]])
  expect(runs[0]?.environment).toEqual({ WORKTREE: location!.id })
  const shared = await calls([['Bash', { command: `cat ${FOLDER}/a.txt` }]], {})
  expect(shared.runs[0]).not.toHaveProperty('environment')
  expect(shared.started[0]?.input).toEqual({ command: `cat ${FOLDER}/a.txt` })
  expect(shared.ended[0]?.content).toBe('out')
})

test('git commands that reach beyond the worktree are refused with an alternative', async () => {
  const { runs, location, ended } = await calls([
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
  expect(ended[1]?.content).toContain(`on your branch ${location!.branch}`)
  expect(runs.map(({ command }) => command)).toEqual([`git -C ${location!.path} log`])
})

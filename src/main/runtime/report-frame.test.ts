/** The texts to every agent about its report, its turns and its surroundings. */
import { expect, test } from 'vitest'
import { lastWords } from './testing/scripted-model.ts'
import { agentCall, echo, isFork, isMain, script } from './testing/scripts.ts'
import { createTestRuntime, testDefinitions } from './testing/test-runtime.ts'

const WARNING = 'You have 3 turns left.'

test('every subagent is told that its last message is its report, and its turn limit', async () => {
  const definitions = [
    ...testDefinitions,
    { ...testDefinitions[1]!, name: 'custom', prompt: 'Be brief.', maxTurns: 7 },
  ]
  const calls = [agentCall('one', { subagent_type: 'custom' }), agentCall('two', { max_turns: 4 })]
  const troupe = createTestRuntime({
    definitions,
    script: script([{ calls }, echo], () => ({ text: 'done' })),
  })
  await troupe.runtime.settled(await troupe.begin('Go'))
  const systems = troupe.model.requests.filter((request) => !isMain(request)).map(({ system }) => system)
  for (const system of systems) expect(system).toContain('Your last message is your report')
  expect(systems.find((system) => system.startsWith('Be brief.'))).toContain('at most 7 turns')
  expect(systems.find((system) => !system.startsWith('Be brief.'))).toContain('at most 4 turns')
  const [main] = troupe.model.requests
  expect(main?.system).not.toContain('# Your report')
  expect(main?.system).toContain('Uncommitted changes at the start:\n M a.ts\nLast commits:\n1234567 Begin')
  expect(main?.system).toContain('Shell: bash\nModel at the start: claude-sonnet\nDate: ')
  expect(systems.join()).not.toContain('Uncommitted changes')
})

test('a fork is told its turn limit', async () => {
  const troupe = createTestRuntime({
    policy: { forkSubagents: true },
    script: script([{ calls: [agentCall('one', { max_turns: 6 })] }, echo], () => ({ text: 'done' })),
  })
  await troupe.runtime.settled(await troupe.begin('Go'))
  const fork = troupe.model.requests.find(isFork)
  expect(JSON.stringify(fork?.messages)).toContain('You have at most 6 turns.')
})

test('an agent is warned once, when three turns are left', async () => {
  const call = ['TodoWrite', { todos: [] }] as const
  const troupe = createTestRuntime({
    script: script([{ calls: [agentCall('one', { max_turns: 5 })] }, echo], (request) =>
      lastWords(request).includes('Write your report now') ? { text: 'report' } : { calls: [call] },
    ),
  })
  await troupe.runtime.settled(await troupe.begin('Go'))
  const requests = troupe.model.requests.filter((request) => !isMain(request))
  expect(requests.map((request) => lastWords(request).includes(WARNING))).toEqual([
    false,
    false,
    true,
    false,
    false,
    false,
  ])
})

test('git is not read in a folder that is not trusted', async () => {
  let reads = 0
  const troupe = createTestRuntime({
    policy: { trusted: () => false },
    script: echo,
    ports: {
      folders: {
        facts: async () => ({ gitBranch: 'main', isRepository: true, platform: 'linux', shell: 'bash' }),
        gitState: async () => {
          reads++
          return null
        },
      },
    },
  })
  await troupe.runtime.settled(await troupe.begin('Go'))
  expect(reads).toBe(0)
  expect(troupe.model.requests[0]?.system).not.toContain('Last commits')
})

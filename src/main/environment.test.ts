import { expect, test } from 'vitest'
import { readEnvironment } from './environment.ts'

test('keys are read and removed from the environment, also for child processes', () => {
  const environment = {
    PATH: '/bin',
    HOME: '/home/ada',
    ANTHROPIC_API_KEY: ' sk-1 ',
    ANTHROPIC_AUTH_TOKEN: 'token',
    ANTHROPIC_BASE_URL: 'https://proxy.example',
    TROUPE_HOME: '/data',
    NODE_OPTIONS: '--inspect',
    ELECTRON_RUN_AS_NODE: '1',
  }
  const given = readEnvironment(environment)
  expect(given.api).toEqual({ key: 'sk-1', authToken: 'token', baseUrl: 'https://proxy.example' })
  expect(given.dataFolder).toBe('/data')
  expect(given.forChildren).toEqual({ PATH: '/bin', HOME: '/home/ada' })
  expect(Object.values(environment).join()).not.toMatch(/sk-1|token/)
})

test('an empty value counts as unset', () => {
  const given = readEnvironment({ ANTHROPIC_API_KEY: ' ', TROUPE_HOME: '', TROUPE_REHEARSAL_PACE: '' })
  expect(given.api.key).toBeNull()
  expect(given.dataFolder).toBeNull()
  expect(given.rehearsal).toEqual({ pace: null, scenarioFile: null })
})

test.each([
  ['0', 0],
  ['40', 40],
  ['-1', null],
  ['fast', null],
  ['readable', 'readable'],
  ['instant', 'instant'],
])('a pace of %s is %s', (text, pace) => {
  expect(readEnvironment({ TROUPE_REHEARSAL_PACE: text }).rehearsal.pace).toBe(pace)
})

test.each([
  [{ TROUPE_COORDINATOR_MODE: '1' }, true],
  [{ CLAUDE_CODE_COORDINATOR_MODE: ' on ' }, true],
  [{ TROUPE_COORDINATOR_MODE: '0', CLAUDE_CODE_COORDINATOR_MODE: '1' }, false],
  [{ CLAUDE_CODE_COORDINATOR_MODE: '' }, null],
  [{}, null],
])('coordinator mode with %j: %s', (environment, mode) => {
  expect(readEnvironment(environment).coordinatorMode).toBe(mode)
})

test.each([
  [{ TROUPE_FORK_SUBAGENT: '1' }, true],
  [{ CLAUDE_CODE_FORK_SUBAGENT: 'true' }, true],
  [{ TROUPE_FORK_SUBAGENT: '0' }, false],
  [{}, false],
])('forks are on with %j: %s', (environment, on) => {
  expect(readEnvironment(environment).forkSubagents).toBe(on)
})

import { expect, it } from 'vitest'
import {
  correctionsOf,
  type EnvironmentEvent,
  foldEnvironment,
  newEnvironment,
  portVariables,
} from './environment.ts'

const after = (...events: readonly EnvironmentEvent[]) => events.reduce(foldEnvironment, newEnvironment)

const begun: readonly EnvironmentEvent[] = [
  { type: 'ports-reserved', at: 1, base: 20_010 },
  { type: 'setup-started', at: 1000 },
  { type: 'setup-step', at: 1000, command: 'npm ci', index: 0, of: 1 },
]

it('a set-up is ready with the time that it took', () => {
  expect(after(...begun)).toMatchObject({
    base: 20_010,
    setup: { kind: 'running', command: 'npm ci', since: 1000 },
  })
  const ready = after(...begun, { type: 'setup-ended', at: 39_000, exitCode: 0, error: null })
  expect(ready.setup).toEqual({ kind: 'ready', at: 39_000, tookMs: 38_000, last: 'npm ci' })
})

it('a failed set-up keeps its command and reason until it is tried again', () => {
  const failed = after(...begun, { type: 'setup-ended', at: 2000, exitCode: 1, error: 'ERESOLVE' })
  expect(failed.setup).toEqual({
    kind: 'failed',
    at: 2000,
    command: 'npm ci',
    exitCode: 1,
    error: 'ERESOLVE',
  })
  expect(foldEnvironment(failed, { type: 'setup-started', at: 3000 }).setup.kind).toBe('running')
})

it('what a program that died left as running is corrected', () => {
  const left = after(
    ...begun,
    { type: 'run-started', at: 5, name: 'web', port: 20_010 },
    { type: 'run-up', at: 6, name: 'web' },
  )
  const corrected = correctionsOf(left, 9000).reduce(foldEnvironment, left)
  expect(corrected.setup).toMatchObject({ kind: 'failed', error: 'Troupe ended meanwhile.' })
  expect(corrected.runs['web']).toMatchObject({ kind: 'ended' })
  expect(correctionsOf(corrected, 9001)).toEqual([])
})

it('a server that was not started can not come up', () => {
  expect(after({ type: 'run-up', at: 1, name: 'web' }).runs).toEqual({})
})

it('the block of ports is ten variables', () => {
  expect(Object.entries(portVariables(3010))).toHaveLength(10)
  expect(portVariables(3010)).toMatchObject({
    TROUPE_PORT: '3010',
    TROUPE_PORT_1: '3011',
    TROUPE_PORT_9: '3019',
  })
})

/** What external agents do wrong, on purpose or not, and what then still works. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { childrenOf } from '../../../runtime/testing/scripts.ts'
import {
  createExternalRuntime,
  type ExternalRuntime,
  type ExternalRuntimeOptions,
} from './testing/external-runtime.ts'

const HOSTILE = join(import.meta.dirname, 'testing/hostile-agent.ts')

interface Begun {
  readonly troupe: ExternalRuntime
  readonly folder: string
  readonly id: string
  /** The processes of the program, in the order of their starts. */
  pids(): readonly number[]
}

async function begin(mode: string, more: Partial<ExternalRuntimeOptions> = {}): Promise<Begun> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-hostile-')))
  onTestFinished(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }))
  const folder = join(top, 'project')
  mkdirSync(folder)
  const pidFile = join(top, 'pids')
  const troupe = createExternalRuntime({
    folder,
    data: join(top, 'data'),
    mode,
    program: { args: [HOSTILE, mode], env: { PID_FILE: pidFile } },
    ...more,
  })
  onTestFinished(() => troupe.runtime.close())
  const pids = () => readFileSync(pidFile, 'utf8').trim().split('\n').map(Number)
  return { troupe, folder, id: await troupe.start(), pids }
}

const childOf = ({ troupe }: Begun): string => childrenOf(troupe)[0]?.agentId ?? ''

async function endOf(begun: Begun) {
  const { troupe, id } = begun
  await troupe.runtime.settled(id)
  return troupe.runtime.state(id, childOf(begun))
}

test('a process that the program leaves behind does not keep Troupe from closing', async () => {
  const begun = await begin('leaves')
  expect((await endOf(begun))?.report).toBe('Left it.')
  const [, left = 0] = begun.pids()
  onTestFinished(() => void process.kill(left, 'SIGKILL'))
  await begun.troupe.runtime.close()
})

test('an agent whose program does not answer while its session opens can be stopped', async () => {
  const begun = await begin('mute-options', { definition: { model: 'large' } })
  const { troupe, id } = begun
  await troupe.when('program-connected')
  await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: childOf(begun) })
  expect(await endOf(begun)).toMatchObject({ status: 'stopped' })
})

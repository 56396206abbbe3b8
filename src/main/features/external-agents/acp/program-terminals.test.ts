import { describe, expect, test } from 'vitest'
import { ok } from '../../../../shared/kernel/result.ts'
import type { ShellEnd } from '../../../runtime/ports/shell.ts'
import { ProgramTerminals, type TerminalDeps } from './program-terminals.ts'
import type { KnownCall } from './update-recorder.ts'

const create = { sessionId: 's', command: 'make' }

/** Terminals whose commands run until they are ended. `permit` and `call` may be replaced. */
function createTerminals({
  permit = async () => {},
  call = () => {},
}: {
  readonly permit?: () => Promise<void>
  readonly call?: () => void
} = {}) {
  const started: string[] = []
  const over = new AbortController()
  const deps = {
    agent: {
      state: () => ({ cwd: '/project' }),
      live() {},
    },
    permit: async () => {
      await permit()
      return ok({ because: null })
    },
    shell: {
      run: ({
        command,
        signal,
        onLines,
      }: {
        command: string
        signal: AbortSignal
        onLines(text: string): void
      }) => {
        started.push(command)
        onLines('x'.repeat(100_000))
        return new Promise((resolve) => {
          const end: ShellEnd = { ended: 'aborted', exitCode: null, output: '', killed: false } as never
          signal.addEventListener('abort', () => resolve(ok(end)))
        })
      },
    },
    recorder: {
      openCall: () => null,
      refused() {},
      call: () => {
        call()
        return { id: 'row' } as KnownCall
      },
    },
    changes: { settle: async () => {} },
    signal: over.signal,
  } as unknown as TerminalDeps
  return { terminals: new ProgramTerminals(deps), started, over }
}

describe('the terminals of a program', () => {
  test('at most 50 are open, also of those that are wanted at once', async () => {
    const { terminals, started } = createTerminals()
    const all = await Promise.allSettled(Array.from({ length: 60 }, () => terminals.create(create)))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(50)
    expect(started).toHaveLength(50)
    await terminals.release('terminal-1')
    expect(await terminals.create(create)).not.toBe('')
  })

  test('a command that is allowed after the turn has ended does not run', async () => {
    let allow = () => {}
    const asked = new Promise<void>((resolve) => {
      allow = resolve
    })
    const { terminals, started } = createTerminals({ permit: () => asked })
    const opened = terminals.create(create)
    await terminals.end()
    allow()
    await expect(opened).rejects.toThrow('The turn is over.')
    expect(started).toEqual([])
  })

  test('a command that ends after its agent has an exit status all the same', async () => {
    let isOver = false
    const { terminals, over } = createTerminals({
      call() {
        if (isOver) throw new Error('The agent is not running.')
      },
    })
    const terminalId = await terminals.create(create)
    isOver = true
    over.abort()
    expect(await terminals.waitForExit(terminalId)).toEqual({ exitCode: null, signal: 'SIGTERM' })
  })

  test('of released ones the rows can show the last 50, with what a row shows', async () => {
    const { terminals } = createTerminals()
    for (let n = 0; n < 60; n++) await terminals.release(await terminals.create(create))
    expect(terminals.view('terminal-10')).toBeNull()
    expect(terminals.view('terminal-11')?.text.length).toBeLessThan(60_000)
  })
})

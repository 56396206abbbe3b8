import { describe, expect, test } from 'vitest'
import { ok } from '../../../../shared/kernel/result.ts'
import type { ShellEnd } from '../../../runtime/ports/shell.ts'
import { AgentTerminals, KeptOutput, type TerminalDeps, terminalCommand } from './agent-terminals.ts'
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
  return { terminals: new AgentTerminals(deps), started, over }
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

test('the end is kept, from a whole character on', () => {
  const output = new KeptOutput(5)
  output.append('abc')
  expect([output.text, output.isTruncated]).toEqual(['abc', false])
  output.append('de')
  expect([output.text, output.isTruncated]).toEqual(['abcde', false])
  output.append('ä€')
  // "ä" has 2 bytes and "€" has 3.
  expect([output.text, output.isTruncated]).toEqual(['ä€', true])
  output.append('x')
  expect(output.text).toBe('€x')
})

test('a limit of nothing keeps nothing', () => {
  const output = new KeptOutput(0)
  output.append('a')
  expect([output.text, output.isTruncated]).toEqual(['', true])
})

const lineOf = (asked: Parameters<typeof terminalCommand>[0]) => {
  const line = terminalCommand(asked, '/project')
  return line.ok ? line.value : line.failure.message
}

describe('the command line of a terminal', () => {
  test.each([
    ['a line', { command: 'npm test | tail' }, 'npm test | tail'],
    ['words', { command: 'git', args: ['commit', '-m', "it's done"] }, "git commit -m 'it'\\''s done'"],
    ['a shell with a line', { command: '/bin/bash', args: ['-c', 'a && b'] }, 'a && b'],
    [
      'variables',
      { command: 'npm', args: ['test'], env: [{ name: 'CI', value: 'a b' }] },
      "CI='a b' npm test",
    ],
    [
      'variables of a line',
      { command: 'a; b', env: [{ name: 'PATH', value: '/x' }] },
      'export PATH=/x; a; b',
    ],
    ['another folder', { command: 'ls', cwd: '/else where' }, "cd '/else where' && ls"],
    ['the agent’s folder', { command: 'ls', cwd: '/project/' }, 'ls'],
    ['a relative folder', { command: 'ls', cwd: 'src' }, 'The folder src is not absolute.'],
    [
      'a wrong name',
      { command: 'ls', env: [{ name: 'A=1;rm', value: '' }] },
      'A=1;rm is not the name of a variable.',
    ],
    ['nothing', { command: ' ' }, 'The command is empty.'],
  ])('%s', (_, asked, expected) => {
    expect(lineOf(asked)).toBe(expected)
  })
})

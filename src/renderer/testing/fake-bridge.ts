/**
 * A main process for a window in a test: functions answer the commands, and tests push the deltas. The program's own dispatch
 * refuses unknown commands and input that the contract does not allow; inputs and answers are copied, as between processes.
 */
import {
  type CommandCall,
  createDispatch,
  type PageDispatch,
  type WindowHandlers,
} from '../../main/desktop/commands/dispatch.ts'
import { DeltaStream } from '../../main/desktop/deltas/delta-stream.ts'
import type { CommandHandlers } from '../../shared/ipc/handlers.ts'
import type { CommandInput, CommandName, TroupeBridge } from '../../shared/ipc/ipc-contract.ts'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import { fail, messageOf, ok } from '../../shared/kernel/result.ts'
import { emptyProgram, type FakeHandlers, Refusal } from './fake-handlers.ts'

export interface FakeBridge {
  /** Every command that was called, in order. */
  readonly calls: { readonly name: CommandName; readonly input: unknown }[]
  /** Replaces the handlers of some commands. A handler that throws answers with a failure with its message. */
  answer(handlers: FakeHandlers): void
  push(...deltas: WindowDelta[]): void
  /** The inputs of the calls of one command. */
  inputsOf<N extends CommandName>(name: N): CommandInput<N>[]
}

/** The program's dispatch, whose commands these handlers answer. One that throws refuses. `own`: the program's own handlers. */
export function dispatchTo(
  handlers: () => FakeHandlers,
  own: Partial<CommandHandlers<[CommandCall]>> = {},
): PageDispatch {
  return createDispatch({
    handlers: own as WindowHandlers,
    forward: async (name, input) => {
      const handler = handlers()[name] as ((input: unknown) => unknown) | undefined
      if (handler === undefined)
        return fail({ type: 'not-expected', message: `Nothing in this test answers ${name}.` })
      try {
        return ok(await handler(input))
      } catch (thrown) {
        const type = thrown instanceof Refusal ? thrown.type : 'failed'
        return fail({ type, message: messageOf(thrown) })
      }
    },
    log: { info: () => {}, error: () => {} },
  })
}

/** Puts a fake bridge on the window. It answers as a program that has nothing to list, and as the handlers do. */
export function installFakeBridge(handlers: FakeHandlers = {}): FakeBridge {
  const calls: { name: CommandName; input: unknown }[] = []
  const listeners = new Set<(deltas: readonly WindowDelta[]) => void>()
  let current: FakeHandlers = { ...emptyProgram, ...handlers }
  const dispatch = dispatchTo(() => current)
  const stream = new DeltaStream({ now: () => 0 })
  const bridge: TroupeBridge = {
    async command(name, input) {
      calls.push({ name, input })
      const { answer } = await dispatch(name, structuredClone(input), stream)
      return structuredClone(answer) as never
    },
    onDeltas(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    pathOf: (file) => `/dropped/${file.name}`,
  }
  Object.defineProperty(window, 'troupe', { value: bridge, configurable: true })
  return {
    calls,
    answer: (more) => {
      current = { ...current, ...more }
    },
    push: (...deltas) => {
      for (const listener of listeners) listener(deltas)
    },
    inputsOf: <N extends CommandName>(name: N) =>
      calls.filter((call) => call.name === name).map((call) => call.input as CommandInput<N>),
  }
}

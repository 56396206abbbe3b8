/** A bridge for tests of the window: functions answer the commands, and tests push the deltas. */
import type {
  Answer,
  CommandInput,
  CommandName,
  CommandOutput,
  TroupeBridge,
} from '../../shared/ipc/ipc-contract.ts'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import { Refusal } from './refusal.ts'

type Handlers = {
  readonly [N in CommandName]?: (input: CommandInput<N>) => Promise<CommandOutput<N>> | CommandOutput<N>
}

export interface FakeBridge {
  /** Every command that was called, in order. */
  readonly calls: { readonly name: CommandName; readonly input: unknown }[]
  /** Replaces the handlers of some commands. A handler that throws answers with a failure with its message. */
  answer(handlers: Handlers): void
  push(...deltas: WindowDelta[]): void
  /** The inputs of the calls of one command. */
  inputsOf<N extends CommandName>(name: N): CommandInput<N>[]
}

/** Puts a fake bridge on the window. Commands without a handler answer with undefined. */
export function installFakeBridge(handlers: Handlers = {}): FakeBridge {
  const calls: { name: CommandName; input: unknown }[] = []
  const listeners = new Set<(deltas: readonly WindowDelta[]) => void>()
  let current: Handlers = { 'slash.list': () => [], 'slash.expand': unknown, ...handlers }
  const bridge: TroupeBridge = {
    async command<N extends CommandName>(name: N, input: CommandInput<N>): Promise<Answer<CommandOutput<N>>> {
      calls.push({ name, input })
      const handler = current[name] as ((input: CommandInput<N>) => CommandOutput<N>) | undefined
      try {
        return { ok: true, value: (await handler?.(input)) as CommandOutput<N> }
      } catch (thrown) {
        const type = thrown instanceof Refusal ? thrown.type : 'failed'
        return { ok: false, failure: { type, message: (thrown as Error).message } }
      }
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

/** There are no commands of files, skills and servers. */
function unknown({ line }: CommandInput<'slash.expand'>): never {
  throw new Refusal(`Unknown command ${line}.`, 'unknown')
}

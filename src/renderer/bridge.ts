/** The bridge to the main process: the only file that uses the preload's object on `window`. */
import type {
  Answer,
  CommandInput,
  CommandName,
  CommandOutput,
  TroupeBridge,
} from '../shared/ipc/ipc-contract.ts'
import type { WindowDelta } from '../shared/ipc/window-delta.ts'
import { messageOf } from '../shared/kernel/result.ts'

declare global {
  interface Window {
    readonly troupe?: TroupeBridge
  }
}

const failed = new WeakMap<object, string>()
const failing = new Set<CommandName>()
const callText = (name: CommandName, input: unknown): string => `${name} ${JSON.stringify(input)}`
const listeners = new Set<(call: string) => void>()

/** The command and its input that failed with this failure, as a text. */
export const callOf = (failure: object): string | undefined => failed.get(failure)

/** Calls back after each success of a command that had failed before, with the command and its input as a text. */
export function onCallDone(listener: (call: string) => void): void {
  listeners.add(listener)
}

/** Why a command may not run now, as a sentence for the user; null: it may. */
type Guard = (name: CommandName, input: unknown) => string | null
const guards = new Set<Guard>()

/** Asks before each command until the returned function is called. */
export function guardCommands(guard: Guard): () => void {
  guards.add(guard)
  return () => guards.delete(guard)
}

/** Commands of which only the latest answer counts. */
export class LatestAnswer {
  private last = 0

  /** Begins a command. The returned function says whether no other one has begun since then. */
  begin(): () => boolean {
    const mine = ++this.last
    return () => mine === this.last
  }
}

/** Runs a command. Never rejects: a transport error is a failure with a message. */
export async function command<N extends CommandName>(
  name: N,
  input: CommandInput<N>,
): Promise<Answer<CommandOutput<N>>> {
  const { troupe } = window
  if (troupe === undefined) return unreachable('this page does not run inside the program')
  for (const guard of guards) {
    const message = guard(name, input)
    if (message !== null) return { ok: false, failure: { type: 'not-now', message } }
  }
  try {
    const given: unknown = await troupe.command(name, input)
    const answer = (typeof given === 'string' ? JSON.parse(given) : given) as Answer<CommandOutput<N>>
    // Most inputs are never turned into text: only those of a command that failed before.
    if (!answer.ok) {
      failing.add(name)
      failed.set(answer.failure, callText(name, input))
    } else if (failing.has(name)) for (const listener of listeners) listener(callText(name, input))
    return answer
  } catch (thrown) {
    return unreachable(messageOf(thrown))
  }
}

/** Calls back with each batch of deltas until the returned function is called. */
export function onDeltas(listener: (deltas: readonly WindowDelta[]) => void): () => void {
  return window.troupe?.onDeltas(listener) ?? (() => {})
}

/** The absolute path of a dropped file; empty for a file without a path. */
export function pathOf(file: File): string {
  return window.troupe?.pathOf(file) ?? ''
}

function unreachable(reason: string): { ok: false; failure: { type: string; message: string } } {
  return {
    ok: false,
    failure: {
      type: 'unreachable',
      message: `The window could not reach the rest of the program: ${reason}. Nothing was done; try again, or restart Troupe.`,
    },
  }
}

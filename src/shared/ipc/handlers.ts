/**
 * What answers the commands of the contract: plain functions, which the runtime, a feature or the desktop brings. Whoever
 * sends a command, its input is checked here.
 */
import type { z } from 'zod'
import type { InputOf, PortOf } from '../kernel/command.ts'
import { fail, ok, type Result } from '../kernel/result.ts'
import {
  type CommandInput,
  type CommandName,
  type CommandOutput,
  type Commands,
  commands,
} from './ipc-contract.ts'

/** Answers one command. Expected failures are values; a thrown error is a bug. `More`: what the desktop tells its own. */
export type CommandHandler<N extends CommandName, More extends readonly unknown[] = []> = (
  input: InputOf<Commands[N]>,
  ...more: More
) => Promise<Result<CommandOutput<N>>>

export type CommandHandlers<More extends readonly unknown[] = []> = {
  readonly [N in CommandName]: CommandHandler<N, More>
}

export type NameOf<Noun extends string> = Extract<CommandName, `${Noun}.${string}`>

/** The handlers of one noun: `folder.open`, `folder.trust` … */
export type HandlersOf<Noun extends string, More extends readonly unknown[] = []> = Pick<
  CommandHandlers<More>,
  NameOf<Noun>
>

/** The handlers of commands whose input the methods of a port take as it is: `mcp.approve` calls `port.approve`. */
export function handlersOf<Noun extends string, Method extends keyof PortOf<Commands, Noun> & string>(
  noun: Noun,
  port: Pick<PortOf<Commands, Noun>, Method>,
  ...methods: readonly Method[]
): Pick<CommandHandlers, `${Noun}.${Method}` & CommandName> {
  const forward = (method: Method) => port[method] as (input: unknown) => unknown
  const handlers = methods.map((method) => [`${noun}.${method}`, (input: unknown) => forward(method)(input)])
  return Object.fromEntries(handlers)
}

/** Carries out one of these commands: the same from the window, the command line, an editor or a worker. */
export type Dispatch<Names extends CommandName> = <N extends Names>(
  command: { readonly type: N } & (CommandInput<N> extends Record<string, never> ? unknown : CommandInput<N>),
) => Promise<Result<CommandOutput<N>>>

/** Fails with `unknown-command` or `bad-input`, or as the handler does. */
export function dispatchTo<Names extends CommandName>(
  handlers: Pick<CommandHandlers, Names>,
): Dispatch<Names> {
  return async ({ type, ...given }) => {
    const input = checkedInput(type, given)
    return input.ok ? handlers[type](input.value as never) : input
  }
}

/** The input of a command as its handler gets it. Fails with `unknown-command` or `bad-input`. */
export function checkedInput(name: unknown, input: unknown): Result<unknown> {
  if (typeof name !== 'string' || !Object.hasOwn(commands, name))
    return fail({ type: 'unknown-command', message: unknownMessage(name) })
  const parsed = (commands[name as CommandName].input as z.ZodType).safeParse(input)
  return parsed.success ? ok(parsed.data) : fail({ type: 'bad-input', message: badInput(name, parsed.error) })
}

const unknownMessage = (name: unknown): string =>
  `Unknown command “${String(name).slice(0, 60)}”: the window and the program may be of different versions. Restart Troupe.`

/** Names the first invalid fields and the reasons, never the values: a value may be a key. */
function badInput(name: string, error: z.ZodError): string {
  const wrong = error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`)
    .join('; ')
  return `Invalid input for “${name}”, so nothing was done. ${wrong}`
}

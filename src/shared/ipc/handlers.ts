/** What answers the commands of the contract: plain functions, which a feature or the desktop brings. */
import type { InputOf, PortOf } from '../kernel/command.ts'
import type { Result } from '../kernel/result.ts'
import type { CommandName, CommandOutput, Commands } from './ipc-contract.ts'

/** Answers one command. Expected failures are values; a thrown error is a bug. `More`: what the desktop tells its own. */
export type CommandHandler<N extends CommandName, More extends readonly unknown[] = []> = (
  input: InputOf<Commands[N]>,
  ...more: More
) => Promise<Result<CommandOutput<N>>>

export type CommandHandlers<More extends readonly unknown[] = []> = {
  readonly [N in CommandName]: CommandHandler<N, More>
}

type NameOf<Noun extends string> = Extract<CommandName, `${Noun}.${string}`>

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

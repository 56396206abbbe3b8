/** The command line of a terminal that an external agent asks for. The permission rules judge all of it. */
import { isAbsolute, resolve } from 'node:path'
import type { CreateTerminalRequest } from '@agentclientprotocol/sdk'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import { commandLine } from './call-input.ts'
import { quotedWord } from './quoted-word.ts'

type Asked = Pick<CreateTerminalRequest, 'command' | 'args' | 'env' | 'cwd'>

/**
 * Variables and another folder become part of the line, so that nothing that changes its meaning escapes the rules.
 *
 * @param root the agent's folder, absolute
 */
export function terminalCommand({ command, args = [], env = [], cwd }: Asked, root: string): Result<string> {
  if (cwd != null && !isAbsolute(cwd)) return wrong(`The folder ${cwd} is not absolute.`)
  const bad = env.find(({ name }) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
  if (bad !== undefined) return wrong(`${bad.name} is not the name of a variable.`)
  const line = commandLine(args.length === 0 ? command : [command, ...args])
  if (line === null) return wrong('The command is empty.')
  const variables = env.map(({ name, value }) => `${name}=${quotedWord(value)}`).join(' ')
  const withVariables =
    variables === '' ? line : args.length === 0 ? `export ${variables}; ${line}` : `${variables} ${line}`
  const isElsewhere = cwd != null && resolve(cwd) !== root
  return ok(isElsewhere ? `cd ${quotedWord(cwd)} && ${withVariables}` : withVariables)
}

const wrong = (message: string) => fail({ type: 'bad-command', message })

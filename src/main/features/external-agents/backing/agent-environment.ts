/** The environment of an external agent: the basic variables, and those that its definition names. */
import type { ExternalAgentLaunch } from '../../../../shared/agent-definition/agent-definition.ts'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'

/**
 * @param user the whole environment of the user
 * @param basic the variables that each child process gets
 */
export function agentEnvironment(
  { env }: Pick<ExternalAgentLaunch, 'env'>,
  user: Readonly<Record<string, string | undefined>>,
  basic: Readonly<Record<string, string>>,
): Result<Readonly<Record<string, string>>> {
  const missing = new Set<string>()
  const given = Object.entries(env).map(([name, text]): [string, string] => [
    name,
    text.replaceAll(REFERENCE, (_, wanted: string) => {
      const value = user[wanted]
      if (value === undefined) missing.add(wanted)
      return value ?? ''
    }),
  ])
  if (missing.size === 0) return ok({ ...basic, ...Object.fromEntries(given) })
  const names = [...missing].join(', ')
  return fail({
    type: 'missing-variable',
    message: `Its definition names ${names} in env, which your environment does not have. Set ${missing.size === 1 ? 'it' : 'them'} and start Troupe again, save ${missing.size === 1 ? 'it' : 'them'} under Settings › External agents, or change env.`,
  })
}

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** Coordinator mode: its main agent, and the variables that choose it for new conversations. */

/** The name of the definition of a coordinator. */
export const COORDINATOR = 'coordinator'

/** In the environment and in `env` of settings files, in order of precedence. */
const COORDINATOR_VARIABLES = ['TROUPE_COORDINATOR_MODE', 'CLAUDE_CODE_COORDINATOR_MODE'] as const

/** Null: no variable says on or off. */
export function coordinatorModeIn(variables: Readonly<Record<string, unknown>>): boolean | null {
  for (const name of COORDINATOR_VARIABLES) {
    const text = String(variables[name] ?? '').trim()
    if (/^(1|true|yes|on)$/i.test(text)) return true
    if (/^(0|false|no|off)$/i.test(text)) return false
  }
  return null
}

/** The setting `commandVariables`: which exported variables reach the commands of agents. */
import { z } from 'zod'

const names = z.array(z.string().min(1).max(200)).max(500).default([])

export const commandVariables = z.object({
  /** Names that reach commands although they look like secrets; `*` stands for any text. */
  pass: names,
  /** Names that never do. They count before `pass`. */
  withhold: names,
})
export type CommandVariables = z.infer<typeof commandVariables>

export const defaultCommandVariables: CommandVariables = commandVariables.parse({})

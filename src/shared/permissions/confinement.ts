/** How a command runs where the sandbox is on. */
import { z } from 'zod'

/**
 * `sandbox`: it can write only to its agent's folder and to a temporary folder. `read-only`: only to a temporary folder.
 * `outside`: without the sandbox.
 */
export const confinement = z.enum(['sandbox', 'read-only', 'outside'])
export type Confinement = z.infer<typeof confinement>

/** Whether commands run in the sandbox on this machine, and why not. */
export type SandboxState =
  /** `note`: what is different on this system, in whole sentences. */
  | { readonly kind: 'on'; readonly note?: string }
  /** The user turned it off. */
  | { readonly kind: 'off' }
  /**
   * It can't start. `missing`: a program is not installed. `forbidden`: the system refuses. `unsupported`: there is none
   * for this system. `message` says why and what to do, in whole sentences. `install`: the command that installs what is
   * missing, to be typed in a terminal.
   */
  | {
      readonly kind: 'missing' | 'forbidden' | 'unsupported'
      readonly message: string
      readonly install?: string
    }

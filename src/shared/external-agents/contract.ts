/** The window's commands about external agents. */
import { z } from 'zod'
import { command, none } from '../kernel/command.ts'
import {
  type ProgramCheck,
  type ProgramOffer,
  type ProgramState,
  programIds,
  type StoredKeys,
} from './known-program.ts'

const program = z.object({ id: z.enum(programIds) })

export const programContract = {
  /** The programs that Troupe knows. The delta `programs` follows each change, with the progress of an installation. */
  'programs.list': command<readonly ProgramState[]>()(() =>
    z.object({
      /** Looks at the disk again. */
      again: z.boolean().default(false),
    }),
  ),
  /** What an installation would bring; asks the registry. Nothing happens. */
  'programs.offer': command<ProgramOffer>()(() => program),
  /** Installs or updates; answers when it is done. `version`: that of the offer that was shown. */
  'programs.install': command<readonly ProgramState[]>()(() =>
    program.extend({ version: z.string().max(100) }),
  ),
  /** Ends an installation, whose own answer then fails with `canceled`. */
  'programs.cancel': command<void>()(() => program),
  /** Deletes what Troupe installed. */
  'programs.remove': command<readonly ProgramState[]>()(() => program),
  /** Starts the program once, to see what it answers and whether it needs a login. */
  'programs.check': command<ProgramCheck>()(() => program),
  /** Makes a program that was found an agent of the catalog, or takes it out. */
  'programs.use': command<readonly ProgramState[]>()(() => program.extend({ used: z.boolean() })),
  /** The keys for programs in the system's key store. */
  'programs.keys': command<StoredKeys>()(() => none),
  /** Stores the value of a variable for programs whose definitions name it; null removes it. */
  'programs.saveKey': command<StoredKeys>()(() =>
    z.object({
      name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/),
      value: z.string().min(1).max(2000).nullable(),
    }),
  ),
} as const

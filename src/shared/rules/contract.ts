/** The window's commands about permission rules, texts that wait and the sandbox. */

import { z } from 'zod'
import { command, none, path } from '../kernel/command.ts'
import type { WaitingText } from '../kernel/waiting-text.ts'
import type { SandboxState } from '../permissions/confinement.ts'
import { permissionModes } from '../permissions/permission-modes.ts'
import type { AgentCallExplanation } from './call-explanation.ts'
import {
  type EditableSource,
  editableSources,
  type FolderRules,
  type PermissionList,
  permissionLists,
  type WrittenRule,
} from './written-rule.ts'

const entry = z.object({ list: z.enum(permissionLists), text: z.string().trim().min(1).max(10_000) })

/** An entry of `permissions` in a settings file, or a saved rule. */
export interface ListedEntry extends WrittenRule {
  readonly list: PermissionList
  /** Why the window can't change it, as a sentence; null: it can. Rules of `saved` are only removed. */
  readonly locked: string | null
  /** Why it has no effect, as a sentence; null: it counts. */
  readonly unused: string | null
  /** Set for an entry that counts once the user has approved it. */
  readonly waits?: true
}

export interface ListedRules {
  /** What holds for agents, without what is refused or waits. */
  readonly held: FolderRules
  /** In the order in which they count: deny, ask, allow; then the additional folders. */
  readonly entries: readonly ListedEntry[]
  /** The files that the window changes, with the reason why one can't be changed now. */
  readonly files: readonly {
    readonly source: EditableSource
    /** As the user sees it. */
    readonly shown: string
    readonly problem: string | null
  }[]
  /** What is ignored, unknown or broken in settings files, as sentences. */
  readonly problems: readonly string[]
}

export const ruleContract = {
  /** The permission rules that hold in a folder. */
  'rules.list': command<ListedRules>()(() => z.object({ folder: path })),
  /** Approves an entry of the folder's local file that came after the user last saw the file. */
  'rules.approve': command<ListedRules>()(() =>
    z.object({
      folder: path,
      list: z.enum(['allow', 'additionalDirectories']),
      text: z.string().max(10_000),
    }),
  ),
  /** Adds (`from` null), removes (`to` null), or changes and moves an entry. */
  'rules.edit': command<ListedRules>()(() =>
    z.object({
      folder: path,
      from: entry.extend({ source: z.enum([...editableSources, 'saved']) }).nullable(),
      to: entry.extend({ source: z.enum(editableSources) }).nullable(),
    }),
  ),
  /** The instructions, skills and commands of a folder that changed since the user last saw them. */
  'texts.waiting': command<readonly WaitingText[]>()(() => z.object({ folder: path })),
  /** Lets agents be told the text with this digest. Fails with `changed` if the file has another one now. */
  'texts.approve': command<readonly WaitingText[]>()(() =>
    z.object({ folder: path, path, digest: z.string().max(100) }),
  ),
  /** What would happen to a call. Nothing runs. */
  'rules.test': command<AgentCallExplanation>()(() =>
    z.object({
      folder: path,
      call: z.string().trim().min(1).max(20_000),
      agent: z.string().min(1).max(200),
      mode: z.enum(permissionModes),
    }),
  ),
  /** Whether commands run in a sandbox on this machine. The first call tries it. */
  'sandbox.state': command<SandboxState>()(() => none),
} as const

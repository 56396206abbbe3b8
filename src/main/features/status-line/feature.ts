/** What the status line's command is told about a folder and its conversation, beside what the window shows. */

import type { ChangesList } from '../../../shared/changes/changes.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { StatusLineExtras } from '../../../shared/status-line/contract.ts'
import { dataPaths } from '../../platform/transcripts/data-paths.ts'
import type { Changes } from '../../runtime/ports/changes.ts'
import type { ScriptTranscripts } from '../hooks/script-transcript.ts'
import type { SettingsLayerReader } from '../settings/settings-layers.ts'

interface StatusExtrasOptions {
  readonly dataFolder: string
  readonly isTrusted: (folder: string) => boolean
  readonly layers: SettingsLayerReader
  readonly addedFolders: (folder: string) => Promise<readonly string[]>
  readonly changes: Pick<Changes, 'list'>
  readonly transcripts: ScriptTranscripts
}

/** @returns the function that gathers it; `main` is the main agent of the conversation on the screen, or null */
export function composeStatusExtras(
  options: StatusExtrasOptions,
): (folder: string, main: AgentState | null) => Promise<StatusLineExtras> {
  const { dataFolder, isTrusted, layers, addedFolders, changes, transcripts } = options
  return async (folder, main) => {
    const [{ layers: read }, added, list, transcriptPath] = await Promise.all([
      layers.read(folder, { trusted: isTrusted(folder) }),
      addedFolders(folder),
      main === null ? null : changes.list({ conversationId: main.conversationId }),
      main === null
        ? null
        : transcripts({
            ...{ id: main.id, conversationId: main.conversationId, parentId: main.parentId },
            ...{ type: main.definition.name, project: folder, cwd: main.cwd, model: main.model },
            ...{
              permissionMode: main.permissionMode,
              ownHooks: null,
              isJudge: false,
              name: null,
              team: null,
            },
            transcriptPath: dataPaths(dataFolder).agentLog(main.id).log,
          }),
    ])
    const style = read.map(({ raw }) => raw['outputStyle']).find((value) => typeof value === 'string')
    return {
      transcriptPath,
      outputStyle: typeof style === 'string' ? style : 'default',
      addedFolders: added,
      lines: list?.ok ? linesOf(list.value) : { added: 0, removed: 0 },
    }
  }
}

/** Changes that were undone, and files whose lines are not counted, are left out. */
function linesOf({ calls }: ChangesList): StatusLineExtras['lines'] {
  const files = calls.flatMap((call) => call.files).filter(({ undone }) => !undone)
  const sum = (key: 'added' | 'removed') => files.reduce((all, file) => all + (file[key] ?? 0), 0)
  return { added: sum('added'), removed: sum('removed') }
}

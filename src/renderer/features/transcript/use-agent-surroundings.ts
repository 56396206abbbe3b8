/** Creates the surroundings of one agent's rows. */
import { useMemo } from 'react'
import { command } from '../../bridge.ts'
import { showFailure } from '../../stores/overlay-store.ts'
import { FoldStates } from './fold-states.ts'
import { StreamedTexts } from './stream/streamed-texts.ts'
import type { Surroundings } from './surroundings.ts'

interface AgentSurroundingsOptions extends Pick<Surroundings, 'agentId' | 'openAgent'> {
  /** The agent's folder. File references are relative to it. */
  readonly folder: string
  /** Called before the user opens or closes a row. */
  readonly onToggle: () => void
}

export function useAgentSurroundings({
  agentId,
  folder,
  openAgent,
  onToggle,
}: AgentSurroundingsOptions): Surroundings {
  const folds = useMemo(() => new FoldStates(onToggle), [onToggle])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another agent has other texts
  const streamed = useMemo(() => new StreamedTexts(), [agentId])
  return useMemo(
    () => ({
      agentId,
      folds,
      streamed,
      openAgent,
      openFile({ path, line }) {
        void command('system.openFile', { folder, path, line }).then((answer) => {
          if (!answer.ok) showFailure(answer.failure)
        })
      },
      openLink(url) {
        void command('system.openLink', { url }).then((answer) => {
          if (!answer.ok) showFailure(answer.failure)
        })
      },
    }),
    [agentId, folder, folds, streamed, openAgent],
  )
}

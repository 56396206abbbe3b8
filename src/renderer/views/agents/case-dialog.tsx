/** The dialog that saves the work of an agent as a case, over any view. */
import { loadBench, showBench } from '../../features/agent-tests/bench-store.ts'
import { CaseEditor } from '../../features/agent-tests/case-editor.tsx'
import { YamlEditor } from '../../features/definitions/source/yaml-editor.tsx'
import { closeCaseToSave, useCaseToSave } from '../../stores/agent-actions.ts'
import { showNotice } from '../../stores/overlay-store.ts'
import { setView, useSession } from '../../stores/session-store.ts'

export function CaseDialog() {
  const agent = useCaseToSave((state) => state.agent)
  const folder = useSession((state) => state.folder?.path ?? null)
  const definitions = useSession((state) => state.definitions)
  if (agent === null || folder === null) return null
  const names = definitions.filter(({ hidden }) => !hidden).map(({ name }) => name)
  return (
    <CaseEditor
      folder={folder}
      source={{ kind: 'agent', ...agent }}
      agents={names}
      editor={YamlEditor}
      onClose={closeCaseToSave}
      onSaved={(name) => {
        void loadBench(folder)
        showNotice({
          level: 'info',
          text: `Saved a case of ${name}.`,
          action: { label: 'Open test bench', run: () => openBench(name) },
        })
      }}
    />
  )
}

function openBench(agent: string): void {
  setView('agents')
  showBench(true, agent)
}

import { useSession } from '../../stores/session-store.ts'
import type { WritableSource } from './editor-store.ts'

const BOTH: readonly WritableSource[] = ['project', 'user']
const USER: readonly WritableSource[] = ['user']

/** Sources for new agents. The project is excluded without trust, because its agents would not be loaded. */
export function useWritableSources(): readonly WritableSource[] {
  return useSession((state) => (state.folder?.trusted === true ? BOTH : USER))
}

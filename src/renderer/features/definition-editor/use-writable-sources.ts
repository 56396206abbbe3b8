import { useSession } from '../../stores/session-store.ts'
import type { WritableSource } from './editor-store.ts'

const BOTH: readonly WritableSource[] = ['project', 'user']
const USER: readonly WritableSource[] = ['user']

/** Where new agents can be made. What is in a folder without trust is not read, so nothing is put there. */
export function useWritableSources(): readonly WritableSource[] {
  return useSession((state) => (state.folder?.trusted === true ? BOTH : USER))
}

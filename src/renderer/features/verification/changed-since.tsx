/** Whether a verdict is still about the present files. */
import { useVerificationStore } from './verifications.ts'

/** Says that the files are no longer those that were verified. */
export function ChangedSinceVerdict({ id }: { readonly id: string }) {
  const isChanged = useIsChanged(id)
  if (!isChanged) return null
  return (
    <span
      className="rounded-[4px] bg-bg-3 px-1.5 text-fg-1 text-xs"
      title="The verdict is about older files."
    >
      files changed since
    </span>
  )
}

/** Whether the files changed since this verdict. */
export function useIsChanged(id: string): boolean {
  return useVerificationStore((state) => state.since[id] === 'changed')
}

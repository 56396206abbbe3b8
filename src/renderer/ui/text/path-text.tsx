/** A path that truncates its folders first and the file name last. */
import { VisibleText } from './visible-text.tsx'

export function PathText({ path }: { readonly path: string }) {
  const slash = path.lastIndexOf('/') + 1
  return (
    <span dir="ltr" className="flex min-w-0">
      {slash > 0 && (
        <span className="min-w-[2.4ch] shrink-[1000] truncate">
          <VisibleText>{path.slice(0, slash)}</VisibleText>
        </span>
      )}
      <span className="min-w-0 truncate">
        <VisibleText>{path.slice(slash)}</VisibleText>
      </span>
    </span>
  )
}

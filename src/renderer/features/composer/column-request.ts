/** Requests to the conversation column, from the palette: each is carried out once, when the column is there. */
import { useEffect } from 'react'
import { create } from 'zustand'

export type ColumnRequest = 'find' | 'rename' | 'copy'

const useRequest = create<{ readonly request: ColumnRequest | null }>()(() => ({ request: null }))

export function requestColumn(request: ColumnRequest): void {
  useRequest.setState({ request })
}

/** Carries out a request of these kinds; `ready`: whether the part that carries it out is there. */
export function useColumnRequest(
  actions: { readonly [R in ColumnRequest]?: () => void },
  ready: boolean,
): void {
  const request = useRequest((state) => state.request)
  const run = request === null ? undefined : actions[request]
  useEffect(() => {
    if (!ready || run === undefined) return
    useRequest.setState({ request: null })
    run()
  })
}

/** How fast the rehearsal's script answers. */

/** `readable`: as fast as one can read along; `faster`: four times that; `instant`: without delay. */
export const rehearsalPaces = ['readable', 'faster', 'instant'] as const
export type RehearsalPace = (typeof rehearsalPaces)[number]

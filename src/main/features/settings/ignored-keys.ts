/** Settings of a folder's files that don't count there. */

import { settings } from '../../../shared/settings/settings.ts'
import { type FileSetting, fileSettings, isFileSetting } from '../../../shared/settings/settings-files.ts'
import { isUsersOwn, type SettingsLayer } from '../../../shared/settings/settings-layers.ts'
import { jsonPlaces } from '../../platform/json/json-text.ts'
import { placeOf } from './permission-settings.ts'

/** A sentence for each setting that a project's or local file has and that has no effect there. */
export function ignoredKeys(
  layer: SettingsLayer,
  context: { readonly home: string; readonly folder: string },
): readonly string[] {
  if (isUsersOwn(layer.source)) return []
  const places = jsonPlaces(layer.text ?? '{}')
  return Object.keys(layer.raw).flatMap((key) => {
    if (key === '$schema') return []
    const where = placeOf(layer.file, places.get(JSON.stringify([key]))?.line ?? null, context)
    const known: FileSetting | null = isFileSetting(key) ? fileSettings[key] : null
    if (known !== null)
      return known.files.includes(layer.source)
        ? []
        : `${where}: "${key}" is ignored: a repository must not bring it. It counts in your own settings.`
    return Object.hasOwn(settings.shape, key)
      ? `${where}: "${key}" is ignored: it counts only in Troupe's own settings file.`
      : `${where}: "${key}" is unknown to Troupe, so it has no effect.`
  })
}

//go:build !lite

package pdf

// For tests of the cache.
var (
	CacheSound = cacheSound
	CacheSweep = cacheSweep
	CacheSeal  = cacheSeal
)

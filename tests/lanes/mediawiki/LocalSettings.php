<?php
// The settings of the test wiki. Everything that differs between runs comes from the environment.
$folder = getenv( 'TEST_WIKI_FOLDER' );

$wgSitename = 'Test wiki';
$wgMetaNamespace = 'Test_wiki';
$wgScriptPath = '';
$wgServer = 'http://127.0.0.1:' . ( getenv( 'TEST_WIKI_PORT' ) ?: '80' );
$wgLanguageCode = 'en';
$wgSecretKey = str_repeat( 'test', 16 );
$wgDBtype = 'sqlite';
$wgDBname = 'testwiki';
$wgSQLiteDataDir = "$folder/data";
$wgMainCacheType = CACHE_NONE;
$wgMessageCacheType = CACHE_NONE;
$wgParserCacheType = CACHE_NONE;
$wgJobRunRate = 0;
$wgRateLimits = [];
$wgShowExceptionDetails = true;
$wgLocalisationCacheConf['store'] = 'array';
$wgLocalisationCacheConf['storeDirectory'] = getenv( 'TEST_WIKI_LANGUAGE_CACHE' );
$wgLocalisationCacheConf['manualRecache'] = PHP_SAPI !== 'cli';

// The page property that Wikipedia's lists of meanings have, without its extension.
$wgExtensionMessagesFiles['DisambiguationMagic'] = __DIR__ . '/magic_words.php';
$wgHooks['GetDoubleUnderscoreIDs'][] = static function ( &$ids ) {
	$ids[] = 'disambiguation';
};

// Faults that a test switches on for the requests that follow.
$faults = is_file( "$folder/faults.json" ) ? json_decode( file_get_contents( "$folder/faults.json" ), true ) : [];
if ( isset( $faults['readonly'] ) ) {
	$wgReadOnly = $faults['readonly'];
}
if ( isset( $faults['lag_seconds'] ) ) {
	$wgHooks['ApiMaxLagInfo'][] = static function ( &$info ) use ( $faults ) {
		$info['lag'] = $faults['lag_seconds'];
	};
}
if ( isset( $faults['sleep_seconds'] ) && PHP_SAPI !== 'cli' ) {
	sleep( $faults['sleep_seconds'] );
}
if ( isset( $faults['max_result_bytes'] ) ) {
	$wgAPIMaxResultSize = $faults['max_result_bytes'];
}

--TEST--
Texts that say dates: strtotime(), modify(), date_parse()
--FILE--
<?php
date_default_timezone_set("UTC");
echo date("D, d M Y H:i:s", 86400*365), "\n";
foreach (["2006-12-12 10:00:00.5 +1 week +1 hour","tomorrow noon","first monday of january 2020","@123.5","last day of february 2024 12:30","2020-02-30","10 September 2000","+1 week 2 days 4 hours 2 seconds","next thursday","monday next week","2008-07-01T22:35:17.02","20080701T22:35:17","2008W27-3","2008.197","back of 7pm","Sat, 26 Apr 2003 15:35:00 +0200","11 Oct","5 weekdays","1.5.2010","12/22/78","2010-W05", "May-09-78","78-Dec-22","10/Oct/2000:13:55:36 -0700","tuesday this week","yesterday 14:00","midnight","sunday", "2012","1986", "Jan 2010", "third friday of next month 10am"] as $s) { $t=date_create($s, new DateTimeZone("America/New_York")); echo $s, " => "; $t or print(json_encode(date_parse($s))); if ($t) { $b=date_create("2021-11-03 15:00:00", new DateTimeZone("America/New_York"));  echo gmdate("c", strtotime($s, 1600000000)), " ", $b->modify($s)?->format("c u e"); } echo "\n"; }
echo json_encode(date_parse("28 Feb 2008 12:00:00 +1460000 days")),"\n";
echo json_encode(date_parse("12:00:00 +1460000 days")),"\n";
echo json_encode(date_parse("12:00:00 +146 days")),"\n";
echo json_encode(date_parse("12:00:00 +1200 days")),"\n";
echo json_encode(date_parse("12:00:00 +12 days")),"\n";
echo json_encode(date_parse("12:00:00 +1 day")),"\n";
echo json_encode(date_parse("12:00:00 +2")),"\n";
echo json_encode(date_parse("12:00 +2 hours")),"\n";
echo json_encode(date_parse("12:00 -200")),"\n";
echo json_encode(date_parse("this week")),"\n";
echo json_encode(date_parse("next week +6 days")),"\n";
echo json_encode(date_parse("saturday this week")),"\n";
echo json_encode(date_parse("t0222 t0222")),"\n";
foreach(["this week","next week","last week", "this week +6 days","sunday this week", "monday next week","next week monday", "first monday of", "+2 mondays", "+1 monday 10:00","2 weekdays","-6 weekdays","8 weekdays ago","first day next week","last sat of July 2008","last sat of July 2008 noon", "sat", "next sat","last sat","sat ago","-1 sat", "noon tomorrow", "tomorrow noon", "first sat", "2 sat ago"] as $s) { foreach (["2021-11-01 10:11:12","2021-11-06 10:11:12","2021-11-07 10:11:12"] as $b) { $d=new DateTime($b); echo $s," ", $d->modify($s)->format("D Y-m-d H:i:s"),"; "; } echo "\n"; }
--EXPECT--
Fri, 01 Jan 1971 00:00:00
2006-12-12 10:00:00.5 +1 week +1 hour => 2006-12-19T11:00:00+00:00 2006-12-19T11:00:00-05:00 500000 America/New_York
tomorrow noon => 2020-09-14T12:00:00+00:00 2021-11-04T12:00:00-04:00 000000 America/New_York
first monday of january 2020 => 2020-01-06T00:00:00+00:00 2020-01-06T00:00:00-05:00 000000 America/New_York
@123.5 => 1970-01-01T00:02:03+00:00 1970-01-01T00:02:03+00:00 500000 +00:00
last day of february 2024 12:30 => 2024-02-29T12:30:00+00:00 2024-02-29T12:30:00-05:00 000000 America/New_York
2020-02-30 => 2020-03-01T00:00:00+00:00 2020-03-01T15:00:00-05:00 000000 America/New_York
10 September 2000 => 2000-09-10T00:00:00+00:00 2000-09-10T15:00:00-04:00 000000 America/New_York
+1 week 2 days 4 hours 2 seconds => 2020-09-22T16:26:42+00:00 2021-11-12T19:00:02-05:00 000000 America/New_York
next thursday => 2020-09-17T00:00:00+00:00 2021-11-04T00:00:00-04:00 000000 America/New_York
monday next week => 2020-09-14T00:00:00+00:00 2021-11-08T00:00:00-05:00 000000 America/New_York
2008-07-01T22:35:17.02 => 2008-07-01T22:35:17+00:00 2008-07-01T22:35:17-04:00 020000 America/New_York
20080701T22:35:17 => 2008-07-01T22:35:17+00:00 2008-07-01T22:35:17-04:00 000000 America/New_York
2008W27-3 => 2008-07-02T00:00:00+00:00 2008-07-02T15:00:00-04:00 000000 America/New_York
2008.197 => 2008-07-15T00:00:00+00:00 2008-07-15T15:00:00-04:00 000000 America/New_York
back of 7pm => 2020-09-13T19:15:00+00:00 2021-11-03T19:15:00-04:00 000000 America/New_York
Sat, 26 Apr 2003 15:35:00 +0200 => 2003-04-26T13:35:00+00:00 2003-04-26T15:35:00-04:00 000000 America/New_York
11 Oct => 2020-10-11T00:00:00+00:00 2021-10-11T15:00:00-04:00 000000 America/New_York
5 weekdays => 2020-09-18T12:26:40+00:00 2021-11-10T15:00:00-05:00 000000 America/New_York
1.5.2010 => 2010-05-01T00:00:00+00:00 2010-05-01T15:00:00-04:00 000000 America/New_York
12/22/78 => 1978-12-22T00:00:00+00:00 1978-12-22T15:00:00-05:00 000000 America/New_York
2010-W05 => 2010-02-01T00:00:00+00:00 2010-02-01T15:00:00-05:00 000000 America/New_York
May-09-78 => 1978-05-09T00:00:00+00:00 1978-05-09T15:00:00-04:00 000000 America/New_York
78-Dec-22 => 1978-12-22T00:00:00+00:00 1978-12-22T15:00:00-05:00 000000 America/New_York
10/Oct/2000:13:55:36 -0700 => 2000-10-10T20:55:36+00:00 2000-10-10T13:55:36-04:00 000000 America/New_York
tuesday this week => 2020-09-08T00:00:00+00:00 2021-11-02T00:00:00-04:00 000000 America/New_York
yesterday 14:00 => 2020-09-12T14:00:00+00:00 2021-11-02T14:00:00-04:00 000000 America/New_York
midnight => 2020-09-13T00:00:00+00:00 2021-11-03T00:00:00-04:00 000000 America/New_York
sunday => 2020-09-13T00:00:00+00:00 2021-11-07T00:00:00-04:00 000000 America/New_York
2012 => 2020-09-13T20:12:00+00:00 2021-11-03T20:12:00-04:00 000000 America/New_York
1986 => 1986-09-13T12:26:40+00:00 1986-11-03T15:00:00-05:00 000000 America/New_York
Jan 2010 => 2010-01-01T00:00:00+00:00 2010-01-01T15:00:00-05:00 000000 America/New_York
third friday of next month 10am => 2020-10-16T10:00:00+00:00 2021-12-17T10:00:00-05:00 000000 America/New_York
{"year":2008,"month":2,"day":28,"hour":12,"minute":0,"second":0,"fraction":0,"warning_count":0,"warnings":[],"error_count":0,"errors":[],"is_localtime":false,"relative":{"year":0,"month":0,"day":1460000,"hour":0,"minute":0,"second":0}}
{"year":false,"month":false,"day":false,"hour":12,"minute":0,"second":0,"fraction":0,"warning_count":0,"warnings":[],"error_count":0,"errors":[],"is_localtime":false,"relative":{"year":0,"month":0,"day":1460000,"hour":0,"minute":0,"second":0}}
{"year":false,"month":false,"day":false,"hour":12,"minute":0,"second":0,"fraction":0,"warning_count":0,"warnings":[],"error_count":0,"errors":[],"is_localtime":false,"relative":{"year":0,"month":0,"day":146,"hour":0,"minute":0,"second":0}}
{"year":false,"month":false,"day":false,"hour":12,"minute":0,"second":0,"fraction":0,"warning_count":0,"warnings":[],"error_count":0,"errors":[],"is_localtime":false,"relative":{"year":0,"month":0,"day":1200,"hour":0,"minute":0,"second":0}}
{"year":false,"month":false,"day":false,"hour":12,"minute":0,"second":0,"fraction":0,"warning_count":0,"warnings":[],"error_count":0,"errors":[],"is_localtime":false,"relative":{"year":0,"month":0,"day":12,"hour":0,"minute":0,"second":0}}
{"year":false,"month":false,"day":false,"hour":12,"minute":0,"second":0,"fraction":0,"warning_count":0,"warnings":[],"error_count":0,"errors":[],"is_localtime":false,"relative":{"year":0,"month":0,"day":1,"hour":0,"minute":0,"second":0}}
{"year":false,"month":false,"day":false,"hour":12,"minute":0,"second":0,"fraction":0,"warning_count":0,"warnings":[],"error_count":0,"errors":[],"is_localtime":true,"zone_type":1,"zone":7200,"is_dst":false}
{"year":false,"month":false,"day":false,"hour":12,"minute":0,"second":0,"fraction":0,"warning_count":0,"warnings":[],"error_count":0,"errors":[],"is_localtime":false,"relative":{"year":0,"month":0,"day":0,"hour":2,"minute":0,"second":0}}
{"year":false,"month":false,"day":false,"hour":12,"minute":0,"second":0,"fraction":0,"warning_count":0,"warnings":[],"error_count":0,"errors":[],"is_localtime":true,"zone_type":1,"zone":-7200,"is_dst":false}
{"year":false,"month":false,"day":false,"hour":false,"minute":false,"second":false,"fraction":false,"warning_count":0,"warnings":[],"error_count":0,"errors":[],"is_localtime":false,"relative":{"year":0,"month":0,"day":0,"hour":0,"minute":0,"second":0,"weekday":1}}
{"year":false,"month":false,"day":false,"hour":false,"minute":false,"second":false,"fraction":false,"warning_count":0,"warnings":[],"error_count":0,"errors":[],"is_localtime":false,"relative":{"year":0,"month":0,"day":13,"hour":0,"minute":0,"second":0,"weekday":1}}
{"year":false,"month":false,"day":false,"hour":0,"minute":0,"second":0,"fraction":0,"warning_count":0,"warnings":[],"error_count":0,"errors":[],"is_localtime":false,"relative":{"year":0,"month":0,"day":0,"hour":0,"minute":0,"second":0,"weekday":6}}
{"year":222,"month":false,"day":false,"hour":2,"minute":22,"second":0,"fraction":false,"warning_count":0,"warnings":[],"error_count":0,"errors":[],"is_localtime":false}
this week Mon 2021-11-01 10:11:12; this week Mon 2021-11-01 10:11:12; this week Mon 2021-11-01 10:11:12; 
next week Mon 2021-11-08 10:11:12; next week Mon 2021-11-08 10:11:12; next week Mon 2021-11-08 10:11:12; 
last week Mon 2021-10-25 10:11:12; last week Mon 2021-10-25 10:11:12; last week Mon 2021-10-25 10:11:12; 
this week +6 days Sun 2021-11-07 10:11:12; this week +6 days Sun 2021-11-07 10:11:12; this week +6 days Sun 2021-11-07 10:11:12; 
sunday this week Sun 2021-11-07 00:00:00; sunday this week Sun 2021-11-07 00:00:00; sunday this week Sun 2021-11-07 00:00:00; 
monday next week Mon 2021-11-08 00:00:00; monday next week Mon 2021-11-08 00:00:00; monday next week Mon 2021-11-08 00:00:00; 
next week monday Mon 2021-11-08 00:00:00; next week monday Mon 2021-11-08 00:00:00; next week monday Mon 2021-11-08 00:00:00; 
first monday of Mon 2021-11-01 00:00:00; first monday of Mon 2021-11-01 00:00:00; first monday of Mon 2021-11-01 00:00:00; 
+2 mondays Mon 2021-11-08 10:11:12; +2 mondays Mon 2021-11-15 10:11:12; +2 mondays Mon 2021-11-15 10:11:12; 
+1 monday 10:00 Mon 2021-11-01 10:00:00; +1 monday 10:00 Mon 2021-11-08 10:00:00; +1 monday 10:00 Mon 2021-11-08 10:00:00; 
2 weekdays Wed 2021-11-03 10:11:12; 2 weekdays Tue 2021-11-09 10:11:12; 2 weekdays Tue 2021-11-09 10:11:12; 
-6 weekdays Fri 2021-10-22 10:11:12; -6 weekdays Fri 2021-10-29 10:11:12; -6 weekdays Fri 2021-10-29 10:11:12; 
8 weekdays ago Wed 2021-10-20 10:11:12; 8 weekdays ago Wed 2021-10-27 10:11:12; 8 weekdays ago Wed 2021-10-27 10:11:12; 
first day next week Tue 2021-11-09 10:11:12; first day next week Tue 2021-11-09 10:11:12; first day next week Tue 2021-11-09 10:11:12; 
last sat of July 2008 Sat 2008-07-26 00:00:00; last sat of July 2008 Sat 2008-07-26 00:00:00; last sat of July 2008 Sat 2008-07-26 00:00:00; 
last sat of July 2008 noon Sat 2008-07-26 12:00:00; last sat of July 2008 noon Sat 2008-07-26 12:00:00; last sat of July 2008 noon Sat 2008-07-26 12:00:00; 
sat Sat 2021-11-06 00:00:00; sat Sat 2021-11-06 00:00:00; sat Sat 2021-11-13 00:00:00; 
next sat Sat 2021-11-06 00:00:00; next sat Sat 2021-11-13 00:00:00; next sat Sat 2021-11-13 00:00:00; 
last sat Sat 2021-10-30 00:00:00; last sat Sat 2021-10-30 00:00:00; last sat Sat 2021-11-06 00:00:00; 
sat ago Sat 2021-10-30 00:00:00; sat ago Sat 2021-10-30 00:00:00; sat ago Sat 2021-11-06 00:00:00; 
-1 sat Sat 2021-10-30 10:11:12; -1 sat Sat 2021-10-30 10:11:12; -1 sat Sat 2021-11-06 10:11:12; 
noon tomorrow Tue 2021-11-02 00:00:00; noon tomorrow Sun 2021-11-07 00:00:00; noon tomorrow Mon 2021-11-08 00:00:00; 
tomorrow noon Tue 2021-11-02 12:00:00; tomorrow noon Sun 2021-11-07 12:00:00; tomorrow noon Mon 2021-11-08 12:00:00; 
first sat Sat 2021-11-06 00:00:00; first sat Sat 2021-11-13 00:00:00; first sat Sat 2021-11-13 00:00:00; 
2 sat ago Sat 2021-10-23 10:11:12; 2 sat ago Sat 2021-10-23 10:11:12; 2 sat ago Sat 2021-10-30 10:11:12; 
